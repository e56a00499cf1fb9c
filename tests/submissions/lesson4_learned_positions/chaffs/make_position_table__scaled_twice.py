# question: make_position_table
# expect: 0
# why: rng.normal already has the spread, and it is multiplied once more
# mistake: multiplies by scale twice
def make_position_table(block_size, C, rng, scale=0.02):
    values = rng.normal(loc=0, scale=scale, size=(block_size, C))
    values *= scale
    return values
