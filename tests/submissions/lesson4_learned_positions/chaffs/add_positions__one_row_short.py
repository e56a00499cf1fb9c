# question: add_positions
# expect: 0
# why: takes the end of a slice for included
# mistake: stops one row too early
def add_positions(token_emb, P):
    last = token_emb.shape[1] - 1
    return token_emb + P[0:last]
