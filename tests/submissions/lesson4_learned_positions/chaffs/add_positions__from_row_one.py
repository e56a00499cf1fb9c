# question: add_positions
# expect: 0
# why: counts positions from 1
# mistake: starts with row 1 of P instead of row 0
def add_positions(token_emb, P):
    T = token_emb.shape[1]
    return token_emb + P[1 : T + 1]
