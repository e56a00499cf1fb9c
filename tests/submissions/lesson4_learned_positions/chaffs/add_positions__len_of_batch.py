# question: add_positions
# expect: 0
# why: len of a batch is B, not T
# mistake: cuts P to B rows instead of T rows, which fits only when B equals T
def add_positions(token_emb, P):
    n = len(token_emb)
    pos = P[0:n, :]
    return np.add(token_emb, pos)
