# question: positional_backward
# expect: 0
# why: = where += is meant, so each sequence wipes out the one before
# mistake: overwrites instead of adding, so only the last sequence counts
def positional_backward(dout, block_size):
    B, T, C = dout.shape
    dP = np.zeros((block_size, C), dtype=dout.dtype)
    for b in range(B):
        dP[:T] = dout[b]
    return dout.copy(), dP
