# question: positional_backward
# expect: 0
# why: sum() without an axis is one number, which fills all rows in use
# mistake: sums over everything, because the axis is missing
def positional_backward(dout, block_size):
    _, T, C = dout.shape
    dP = np.zeros((block_size, C), dtype=dout.dtype)
    dP[:T] += dout.sum()
    return dout.copy(), dP
