# question: add_positions
# expect: 0
# why: the caller's token embeddings are overwritten
# mistake: changes token_emb in place
def add_positions(token_emb, P):
    T = token_emb.shape[1]
    token_emb += P[:T]
    return token_emb
