# question: add_positions
# expect: full
# why: a first try fails in the answer cell, a later cell of the student's own replaces it
def add_positions(token_emb, P):
    return token_emb + P[: token_emb.shape[0]]
# %% after add_positions
# that was wrong: rows are positions!
def add_positions(token_emb, P):
    return token_emb + P[: token_emb.shape[1]]
