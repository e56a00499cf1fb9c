# question: add_positions
# expect: 0
# why: out is another name for token_emb, not a copy
# mistake: changes token_emb in place
def add_positions(token_emb, P):
    out = token_emb
    for b in range(out.shape[0]):
        for t in range(out.shape[1]):
            out[b, t] = out[b, t] + P[t]
    return out
