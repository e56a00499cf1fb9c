# question: make_position_table
# expect: 0
# why: the second argument of standard_normal is a dtype, not a size
# mistake: calls rng with arguments that it does not take; the sizes belong into one tuple
def make_position_table(block_size, C, rng, scale=0.02):
    return scale * rng.standard_normal(block_size, C)
