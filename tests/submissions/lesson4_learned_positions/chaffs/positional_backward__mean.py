# question: positional_backward
# expect: 0
# why: the mean over the batch, as one averages a loss
# mistake: takes the mean over the batch instead of the sum
def positional_backward(dout, block_size):
    B, T, C = dout.shape
    dP = np.zeros((block_size, C), dtype=dout.dtype)
    dP[:T] = dout.mean(axis=0)
    return dout.copy(), dP
