# question: add_positions
# expect: 0
# why: counts positions from the end of the table
# mistake: takes the last T rows of P instead of the first
def add_positions(token_emb, P):
    T = token_emb.shape[1]
    return token_emb + P[-T:]
