# question: positional_backward
# expect: 0
# why: uses T and C of the setup cell, so it fits the notebook's batch only
# mistake: takes T and C from the notebook instead of from dout
def positional_backward(dout, block_size):
    dP = np.zeros((block_size, C), dtype=dout.dtype)
    dP[:T] = dout.sum(axis=0)
    return dout.copy(), dP
