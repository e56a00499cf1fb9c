# question: add_positions
# expect: 0
# why: P[T] is one row, not the first T rows
# mistake: adds row T, the one for the next token, to every token
def add_positions(token_emb, P):
    T = token_emb.shape[1]
    return token_emb + P[T]
