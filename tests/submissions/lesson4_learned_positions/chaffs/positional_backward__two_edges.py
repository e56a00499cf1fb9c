# question: positional_backward
# expect: 3
# why: dout itself and a float64 table, the usual first draft; three edges
# mistake: returns dout itself as dtoken_emb, and makes dP float64 whatever dtype dout has
def positional_backward(dout, block_size):
    T, C = dout.shape[1:]
    dP = np.zeros((block_size, C))
    dP[:T] = dout.sum(axis=0)
    return dout, dP
