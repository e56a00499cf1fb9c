# question: make_position_table
# expect: 0
# why: scale is never looked at, so the marks are as loud as the tokens
# mistake: does not use scale at all, so the spread is 1
def make_position_table(block_size, C, rng, scale=0.02):
    return rng.normal(size=(block_size, C))
