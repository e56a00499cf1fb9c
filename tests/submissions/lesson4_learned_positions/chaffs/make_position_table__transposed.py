# question: make_position_table
# expect: 0
# why: rows and columns are exchanged: one column per position
# mistake: makes one column per position instead of one row
def make_position_table(block_size, C, rng, scale=0.02):
    """One vector of length C for each of the block_size positions."""
    table = rng.standard_normal((C, block_size))
    return table * scale
