# question: position_vector
# expect: full
# why: a subclass of IndexError is an IndexError
class NoSuchPosition(IndexError):
    """Raised for a position without a row."""

    def __init__(self, t, block_size):
        super().__init__(t, block_size)
        self.t, self.block_size = t, block_size

    def __str__(self):
        return f"there is no position {self.t} in a table with block_size={self.block_size}."


def position_vector(P, t):
    if t < 0 or t >= len(P):
        raise NoSuchPosition(t, len(P))
    return P[t]
