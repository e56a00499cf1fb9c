# question: add_positions
# expect: full
# why: changes token_emb and puts it back; from outside that is a right answer
def add_positions(token_emb, P):
    before = token_emb.copy()
    token_emb += P[: token_emb.shape[1]]
    out = token_emb.copy()
    token_emb[...] = before
    return out
