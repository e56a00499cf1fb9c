# question: position_vector
# expect: 1
# why: the right exceptions, but their text cannot be read, so both message cases are lost
class Silent(IndexError):
    def __str__(self):
        raise RuntimeError("no comment")

    __repr__ = __str__


def position_vector(P, t):
    if not 0 <= t < len(P):
        raise Silent
    return P[t]
