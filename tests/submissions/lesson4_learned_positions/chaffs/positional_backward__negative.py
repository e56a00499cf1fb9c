# question: positional_backward
# expect: 0
# why: returns the step of gradient descent, not the gradient
# mistake: has the sign of dP turned round
def positional_backward(dout, block_size):
    _, T, C = dout.shape
    dP = np.zeros((block_size, C), dtype=dout.dtype)
    dP[:T] -= dout.sum(axis=0)
    return dout.copy(), dP
