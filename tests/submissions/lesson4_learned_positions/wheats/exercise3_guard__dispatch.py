# question: exercise3_guard
# expect: full
# why: a table of functions and one partial
from functools import partial
from operator import itemgetter

LIMITS = {"learned": lambda n: n, "sinusoidal": lambda n: float("inf")}


def _below(t, block_size, kind, limits):
    return -1 < t < itemgetter(kind)(limits)(block_size)


position_allowed = partial(_below, limits=LIMITS)
