# question: make_position_table
# expect: 0
# why: draws from NumPy's global generator as the setup cell does, so a seed in rng means nothing
# mistake: draws from np.random or a generator without a seed instead of rng
def make_position_table(block_size, C, rng, scale=0.02):
    return np.random.randn(block_size, C) * scale
