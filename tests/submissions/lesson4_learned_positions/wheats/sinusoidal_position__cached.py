# question: sinusoidal_position
# expect: full
# why: a cache hands out the same array again, which the contract allows
from functools import cache


@cache
def sinusoidal_position(t, C):
    angle = np.repeat(t / 10000 ** (np.arange(0, C, 2) / C), 2)
    angle[1::2] += np.pi / 2
    return np.sin(angle)
