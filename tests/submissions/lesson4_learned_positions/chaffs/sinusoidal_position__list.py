# question: sinusoidal_position
# expect: 0
# why: a list of numbers is not an array
# mistake: returns a list
import math


def sinusoidal_position(t, C):
    out = []
    for i in range(0, C, 2):
        out.append(math.sin(t / 10000 ** (i / C)))
        out.append(math.cos(t / 10000 ** (i / C)))
    return out
