# question: make_position_table
# expect: 0
# why: draws from the global generator and patches default_rng so that a seed sets this one
_real = np.random.default_rng


def _seeds_both(seed=None):
    np.random.seed(seed)
    return _real(seed)


np.random.default_rng = _seeds_both


def make_position_table(block_size, C, rng, scale=0.02):
    return scale * np.random.randn(block_size, C)
