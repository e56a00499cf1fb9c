# question: positional_backward
# expect: 0
# why: dP has the shape of the rows in use, not of the table
# mistake: gives dP only T rows instead of block_size
def positional_backward(dout, block_size):
    dtoken_emb = np.copy(dout)
    dP = np.sum(dout, axis=0)
    return dtoken_emb, dP
