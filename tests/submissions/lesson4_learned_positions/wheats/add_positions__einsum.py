# question: add_positions
# expect: full
# why: einsum with a row of ones is unusual, but the same sum
def add_positions(token_emb, P):
    B, T, C = token_emb.shape
    return token_emb + np.einsum("b,tc->btc", np.ones(B), P[:T])
