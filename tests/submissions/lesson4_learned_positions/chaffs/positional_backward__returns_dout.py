# question: positional_backward
# expect: 4
# why: right numbers, but dtoken_emb is dout itself (both edges on memory)
# mistake: returns dout itself, or a view of it, as dtoken_emb
def positional_backward(dout, block_size):
    _, T, C = dout.shape
    dP = np.zeros((block_size, C), dtype=dout.dtype)
    dP[:T] = dout.sum(axis=0)
    dtoken_emb = dout  # addition passes it through
    return dtoken_emb, dP
