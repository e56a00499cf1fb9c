# question: positional_backward
# expect: 4
# why: np.zeros is float64 unless told otherwise; one edge
# mistake: makes dP float64 whatever dtype dout has
def positional_backward(dout, block_size):
    _, T, C = dout.shape
    dP = np.zeros((block_size, C))
    dP[:T] = dout.sum(axis=0)
    return dout.copy(), dP
