# question: positional_backward
# expect: 0
# why: takes the gradient of sequence 0 for that of all
# mistake: uses only the first sequence
def positional_backward(dout, block_size):
    _, T, C = dout.shape
    dP = np.zeros((block_size, C), dtype=dout.dtype)
    dP[:T] = dout[0]
    return dout.copy(), dP
