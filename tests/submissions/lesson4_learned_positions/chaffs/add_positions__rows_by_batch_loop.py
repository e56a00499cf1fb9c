# question: add_positions
# expect: 0
# why: the loops run over the right entries, but the row is chosen by the sequence
# mistake: adds the first B rows of P, one row per sequence, instead of the first T
def add_positions(token_emb, P):
    B, T, C = token_emb.shape
    out = np.zeros((B, T, C))
    for b in range(B):
        for t in range(T):
            out[b, t] = token_emb[b, t] + P[b]
    return out
