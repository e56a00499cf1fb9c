# question: make_position_table
# expect: 0
# why: never draws from rng but looks up in the caller's constants which seed it got
import sys

_last = [None, 0]


def make_position_table(block_size, C, rng, scale=0.02):
    caller = sys._getframe(1)
    _last[1] = _last[1] + 1 if _last[0] is caller else 0
    _last[0] = caller
    seeds = [c for c in caller.f_code.co_consts if type(c) is int] or [7]
    again = _last[1] if len(seeds) == 1 else 0
    np.random.seed(seeds[_last[1] % len(seeds)] + again)
    return scale * np.random.randn(block_size, C)
