# question: make_position_table
# expect: 0
# why: draws from the global generator, which the patched generator of the hidden cases seeds
import autograder.kernel.probe

_real = autograder.kernel.probe.default_rng


def _seeds_both(seed=None):
    np.random.seed(seed)
    return _real(seed)


autograder.kernel.probe.default_rng = _seeds_both


def make_position_table(block_size, C, rng, scale=0.02):
    return scale * np.random.randn(block_size, C)
