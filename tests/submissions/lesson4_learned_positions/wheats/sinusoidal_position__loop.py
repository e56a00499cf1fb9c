# question: sinusoidal_position
# expect: full
# why: plain Python floats, collected one by one
from math import cos, sin


def sinusoidal_position(t, C):
    return np.fromiter(
        ((sin, cos)[i % 2](t / 10000 ** ((i - i % 2) / C)) for i in range(C)), dtype=float, count=C
    )
