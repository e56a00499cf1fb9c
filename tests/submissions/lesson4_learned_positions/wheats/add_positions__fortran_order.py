# question: add_positions
# expect: full
# why: the result is the transpose of an array, in Fortran order
def add_positions(token_emb, P):
    T = token_emb.shape[1]
    flipped = token_emb.T + P[:T].T[:, :, None]
    return flipped.T
