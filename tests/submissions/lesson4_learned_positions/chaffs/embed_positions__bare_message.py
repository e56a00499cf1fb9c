# question: embed_positions
# expect: 1.5
# why: names neither number; one edge
# mistake: raises the right error without naming both T and block_size in it
def embed_positions(token_emb, P):
    T = token_emb.shape[1]
    if T > P.shape[0]:
        raise IndexError("sequence too long")
    return token_emb + P[:T]
