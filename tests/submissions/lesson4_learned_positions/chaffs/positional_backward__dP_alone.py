# question: positional_backward
# expect: 0
# why: forgets the gradient of the tokens
# mistake: returns dP alone, not the pair
def positional_backward(dout, block_size):
    dP = np.zeros((block_size, dout.shape[2]), dtype=dout.dtype)
    dP[: dout.shape[1]] = dout.sum(axis=0)
    return dP
