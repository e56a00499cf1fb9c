# question: add_positions
# expect: 0
# why: forgets the loop over the batch
# mistake: adds positions to the first sequence only
def add_positions(token_emb, P):
    out = np.array(token_emb)
    for t in range(token_emb.shape[1]):
        out[0, t] = token_emb[0, t] + P[t]
    return out
