# question: make_position_table
# expect: 0
# why: seeds inside the function, so every table is the same table
# mistake: uses a seed of its own instead of drawing from rng
def make_position_table(block_size, C, rng, scale=0.02):
    np.random.seed(42)  # reproducible
    return np.random.randn(block_size, C) * scale
