# question: positional_backward
# expect: 0
# why: np.empty leaves in the unused rows whatever was in memory
# mistake: makes dP with np.empty, which leaves in the rows past T whatever was in memory
def positional_backward(dout, block_size):
    _, T, C = dout.shape
    dP = np.empty((block_size, C), dtype=dout.dtype)
    dP[:T] = dout.sum(axis=0)
    return dout.copy(), dP
