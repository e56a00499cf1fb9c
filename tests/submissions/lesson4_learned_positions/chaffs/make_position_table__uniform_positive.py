# question: make_position_table
# expect: 0
# why: rng.random gives numbers between 0 and 1 only
# mistake: draws uniformly between 0 and scale
def make_position_table(block_size, C, rng, scale=0.02):
    return rng.random((block_size, C)) * scale
