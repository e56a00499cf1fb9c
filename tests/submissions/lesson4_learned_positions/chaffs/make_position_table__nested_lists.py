# question: make_position_table
# expect: 0
# why: the table stays a list of lists
# mistake: returns nested lists instead of an array
def make_position_table(block_size, C, rng, scale=0.02):
    table = []
    for _ in range(block_size):
        table.append([scale * rng.standard_normal() for _ in range(C)])
    return table
