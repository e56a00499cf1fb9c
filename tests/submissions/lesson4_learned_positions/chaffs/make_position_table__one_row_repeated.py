# question: make_position_table
# expect: 0
# why: the same vector for every position says nothing about the position
# mistake: draws one row and repeats it for every position
def make_position_table(block_size, C, rng, scale=0.02):
    row = rng.normal(0, scale, C)
    table = np.zeros((block_size, C))
    table[:] = row
    return table
