# question: add_positions
# expect: 3
# why: thinks that the last row belongs to an end mark, so T equal to block_size fails
# mistake: never uses the last row of P
def add_positions(token_emb, P):
    T = token_emb.shape[1]
    positions = P[: len(P) - 1]
    return token_emb + positions[:T]
