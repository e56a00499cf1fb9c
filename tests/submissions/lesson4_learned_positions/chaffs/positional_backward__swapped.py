# question: positional_backward
# expect: 0
# why: the pair is in the wrong order
# mistake: returns the two gradients in the wrong order
def positional_backward(dout, block_size):
    _, T, C = dout.shape
    dP = np.zeros((block_size, C), dtype=dout.dtype)
    dP[:T] += dout.sum(0)
    return dP, dout.copy()
