# question: make_position_table
# expect: full
# why: default_rng hands back a generator that it is given, so this draws from rng
def make_position_table(block_size, C, rng, scale=0.02):
    generator = np.random.default_rng(rng)
    return generator.normal(scale=scale, size=(block_size, C))
