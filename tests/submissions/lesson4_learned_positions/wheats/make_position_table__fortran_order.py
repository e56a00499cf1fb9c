# question: make_position_table
# expect: full
# why: the memory order of an array is nobody's business
def make_position_table(block_size, C, rng, scale=0.02):
    columns = [rng.standard_normal(block_size) for _ in range(C)]
    return np.asfortranarray(np.column_stack(columns) * scale)
