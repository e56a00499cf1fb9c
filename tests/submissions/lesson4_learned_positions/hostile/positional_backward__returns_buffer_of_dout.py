# question: positional_backward
# expect: 4
# why: the same memory as dout, reached through a buffer, so that no base links the two
def positional_backward(dout, block_size):
    dP = np.zeros((block_size, dout.shape[2]), dtype=dout.dtype)
    dP[: dout.shape[1]] = dout.sum(axis=0)
    flat = np.frombuffer(memoryview(dout).cast("B"), dtype=dout.dtype)
    return flat.reshape(dout.shape), dP
