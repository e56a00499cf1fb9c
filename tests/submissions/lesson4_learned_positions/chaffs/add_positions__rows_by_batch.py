# question: add_positions
# expect: 0
# why: the classic slip: as many rows as sequences
# mistake: cuts P to B rows instead of T rows, which fits only when B equals T
def add_positions(token_emb, P):
    B = token_emb.shape[0]
    return token_emb + P[:B]
