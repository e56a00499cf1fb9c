# question: make_position_table
# expect: 0
# why: float32 as deep learning code has it, the contract says float64
# mistake: returns float32 instead of float64
def make_position_table(block_size, C, rng, scale=0.02):
    return rng.standard_normal((block_size, C), dtype=np.float32) * scale
