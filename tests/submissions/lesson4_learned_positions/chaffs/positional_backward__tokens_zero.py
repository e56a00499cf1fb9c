# question: positional_backward
# expect: 0
# why: makes room for dtoken_emb and never fills it
# mistake: leaves dtoken_emb at zero
def positional_backward(dout, block_size):
    B, T, C = dout.shape
    dtoken_emb = np.zeros_like(dout)
    dP = np.zeros((block_size, C), dtype=dout.dtype)
    for b in range(B):
        for t in range(T):
            dP[t] += dout[b, t]
    return dtoken_emb, dP
