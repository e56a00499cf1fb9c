# question: add_positions
# expect: 0
# why: uses the table as a factor
# mistake: multiplies tokens and positions
def add_positions(token_emb, P):
    return np.einsum("btc,tc->btc", token_emb, P[: token_emb.shape[1]])
