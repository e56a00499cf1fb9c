# question: add_positions
# expect: 0
# why: an array of Python objects, each of which says that it equals everything
class Yes(float):
    def __eq__(self, other):
        return True

    __hash__ = float.__hash__


def add_positions(token_emb, P):
    out = np.empty(token_emb.shape, dtype=object)
    for i in np.ndindex(*out.shape):
        out[i] = Yes(0.0)
    return out
