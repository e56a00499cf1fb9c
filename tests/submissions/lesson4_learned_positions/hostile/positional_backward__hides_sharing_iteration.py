# question: positional_backward
# expect: 4
# why: a pair that shows copies to whoever walks through it and holds dout itself
class Pair(tuple):
    def __iter__(self):
        return iter([np.array(item) for item in tuple.__iter__(self)])

    def __getitem__(self, key):
        return np.array(tuple.__getitem__(self, key))


def positional_backward(dout, block_size):
    dP = np.zeros((block_size, dout.shape[2]), dtype=dout.dtype)
    dP[: dout.shape[1]] = dout.sum(axis=0)
    return Pair((dout, dP))
