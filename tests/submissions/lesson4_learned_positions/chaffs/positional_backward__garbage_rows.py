# question: positional_backward
# expect: 0
# why: starts from old weights in place of zeros, so unused rows are not zero
# mistake: leaves values in the rows past T that should be zero
def positional_backward(dout, block_size):
    _, T, C = dout.shape
    dP = np.ones((block_size, C), dtype=dout.dtype) * 0.02
    dP[:T] = dout.sum(axis=0)
    return dout.copy(), dP
