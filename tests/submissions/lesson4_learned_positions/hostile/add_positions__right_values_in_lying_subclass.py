# question: add_positions
# expect: full
# why: the values are right and in an array; what its subclass says of itself does not matter
class Shy(np.ndarray):
    shape = property(lambda self: (0,))
    dtype = property(lambda self: np.dtype(bool))
    size = property(lambda self: 0)
    nbytes = property(lambda self: 2**60)

    def __eq__(self, other):
        raise RuntimeError("do not compare me")

    def tobytes(self, *args):
        return b"nothing"


def add_positions(token_emb, P):
    return (token_emb + P[: token_emb.shape[1]]).view(Shy)
