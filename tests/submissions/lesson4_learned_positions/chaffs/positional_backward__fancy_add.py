# question: positional_backward
# expect: 0
# why: += with repeated indices writes each row once
# mistake: overwrites instead of adding, so only the last sequence counts
def positional_backward(dout, block_size):
    B, T, C = dout.shape
    dP = np.zeros((block_size, C), dtype=dout.dtype)
    rows = np.broadcast_to(np.arange(T), (B, T))
    dP[rows] += dout
    return dout.copy(), dP
