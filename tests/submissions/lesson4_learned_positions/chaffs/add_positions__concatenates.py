# question: add_positions
# expect: 0
# why: joins the vectors in place of adding them
# mistake: joins tokens and positions into longer vectors instead of adding them
def add_positions(token_emb, P):
    B, T, C = token_emb.shape
    pos = np.stack([P[:T]] * B)
    return np.concatenate((token_emb, pos), axis=2)
