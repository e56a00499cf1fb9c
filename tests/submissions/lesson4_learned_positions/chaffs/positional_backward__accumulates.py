# question: positional_backward
# expect: 0
# why: keeps its tables between calls, so the second call starts where the first ended
# mistake: goes on adding to the dP of the call before
tables = {}


def positional_backward(dout, block_size):
    _, T, C = dout.shape
    if (block_size, C) not in tables:
        tables[block_size, C] = np.zeros((block_size, C), dtype=dout.dtype)
    dP = tables[block_size, C]
    dP[:T] += dout.sum(axis=0)
    return dout.copy(), dP.copy()
