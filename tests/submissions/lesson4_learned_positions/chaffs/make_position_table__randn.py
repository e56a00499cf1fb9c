# question: make_position_table
# expect: 0
# why: randn belongs to the old generator; rng has no such method
# mistake: calls something that rng does not have, such as rng.randn
def make_position_table(block_size, C, rng, scale=0.02):
    return rng.randn(block_size, C) * scale
