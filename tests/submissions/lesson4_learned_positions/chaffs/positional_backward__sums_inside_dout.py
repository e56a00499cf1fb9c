# question: positional_backward
# expect: 0
# why: adds the sequences up in dout[0], which belongs to the caller
# mistake: adds the sequences up inside dout, which changes dout
def positional_backward(dout, block_size):
    B, T, C = dout.shape
    total = dout[0]
    for b in range(1, B):
        total += dout[b]
    dP = np.zeros((block_size, C), dtype=dout.dtype)
    dP[:T] = total
    return dout.copy(), dP
