# question: make_position_table
# expect: 0
# why: resets the generator that it was given, so that different seeds give one table
def make_position_table(block_size, C, rng, scale=0.02):
    rng.bit_generator.state = np.random.default_rng(0).bit_generator.state
    return scale * rng.standard_normal((block_size, C))
