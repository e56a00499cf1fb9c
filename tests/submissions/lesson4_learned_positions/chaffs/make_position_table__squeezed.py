# question: make_position_table
# expect: 2
# why: right until a table has a single row or column, which is then lost (two edges)
# mistake: drops axes of length one
def make_position_table(block_size, C, rng, scale=0.02):
    return rng.normal(0, scale, size=(1, block_size, C)).squeeze()
