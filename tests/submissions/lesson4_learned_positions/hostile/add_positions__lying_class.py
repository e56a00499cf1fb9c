# question: add_positions
# expect: 0
# why: a list that says its class is ndarray
class Pretender(list):
    @property
    def __class__(self):
        return np.ndarray

    @property
    def shape(self):
        return (len(self), len(self[0]), len(self[0][0]))

    dtype = np.dtype("float64")


def add_positions(token_emb, P):
    return Pretender((token_emb + P[: token_emb.shape[1]]).tolist())
