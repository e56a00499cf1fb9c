# question: positional_backward
# expect: 0
# why: loops over the rows of the table, of which dout has only the first T
# mistake: walks over all block_size positions, though dout has only T
def positional_backward(dout, block_size):
    B, T, C = dout.shape
    dP = np.zeros((block_size, C), dtype=dout.dtype)
    for t in range(block_size):
        for b in range(B):
            dP[t] += dout[b, t]
    return dout.copy(), dP
