# question: positional_backward
# expect: 0
# why: fills the table from its end
# mistake: fills the last T rows instead of the first T
def positional_backward(dout, block_size):
    _, T, C = dout.shape
    dP = np.zeros((block_size, C), dtype=dout.dtype)
    dP[-T:] = dout.sum(axis=0)
    return dout.copy(), dP
