# question: embed_positions
# expect: 0
# why: reuses the rows of other positions
# mistake: starts again at row 0 after the last row
def embed_positions(token_emb, P):
    positions = np.arange(token_emb.shape[1]) % len(P)
    return token_emb + P[positions]
