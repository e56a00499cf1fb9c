# question: make_position_table
# expect: 0
# why: takes the root of scale, as if scale were the variance
# mistake: takes scale for the variance
def make_position_table(block_size, C, rng, scale=0.02):
    sigma = np.sqrt(scale)
    return rng.normal(0.0, sigma, (block_size, C))
