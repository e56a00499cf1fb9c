# question: positional_backward
# expect: full
# why: both results are views of one new buffer, but share no memory with each other
def positional_backward(dout, block_size):
    B, T, C = dout.shape
    buffer = np.zeros((B * T + block_size, C), dtype=dout.dtype)
    dtoken_emb, dP = buffer[: B * T].reshape(B, T, C), buffer[B * T :]
    dtoken_emb[...] = dout
    np.sum(dout, axis=0, out=dP[:T])
    return dtoken_emb, dP
