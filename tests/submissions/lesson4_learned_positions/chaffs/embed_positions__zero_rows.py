# question: embed_positions
# expect: 0
# why: tokens past the end get no position at all
# mistake: pads the missing rows with zeros
def embed_positions(token_emb, P):
    out = token_emb.copy()
    n = min(out.shape[1], len(P))
    out[:, :n] += P[:n]
    return out
