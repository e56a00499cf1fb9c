# question: make_position_table
# expect: 0
# why: uniform between -scale and scale is not normal, and its spread is smaller than scale
# mistake: draws uniformly between -scale and scale
def make_position_table(block_size, C, rng, scale=0.02):
    # small random values around zero
    return (2 * rng.random((block_size, C)) - 1) * scale
