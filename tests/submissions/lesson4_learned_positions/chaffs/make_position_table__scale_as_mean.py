# question: make_position_table
# expect: 0
# why: the first argument of rng.normal is the mean, not the spread
# mistake: takes scale for the mean
def make_position_table(block_size, C, rng, scale=0.02):
    return rng.normal(scale, 1.0, (block_size, C))
