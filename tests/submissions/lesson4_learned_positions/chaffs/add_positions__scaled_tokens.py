# question: add_positions
# expect: 0
# why: scales the token embeddings as the Transformer paper does, which nobody asked for
# mistake: scales the tokens up by the root of C first
def add_positions(token_emb, P):
    B, T, C = token_emb.shape
    return np.sqrt(C) * token_emb + P[:T]
