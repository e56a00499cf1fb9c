# question: positional_backward
# expect: 0
# why: dP is right, but the gradient of the tokens is divided by B
# mistake: divides dtoken_emb by the batch size
def positional_backward(dout, block_size):
    B, T, C = dout.shape
    dP = np.zeros((block_size, C), dtype=dout.dtype)
    dP[:T] = dout.sum(axis=0)
    return dout / B, dP
