# question: make_position_table
# expect: 0
# why: divides by scale, so a small scale makes a huge spread
# mistake: divides by scale instead of multiplying by it
def make_position_table(block_size, C, rng, scale=0.02):
    return rng.standard_normal((block_size, C)) / scale
