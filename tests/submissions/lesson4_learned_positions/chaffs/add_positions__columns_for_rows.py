# question: add_positions
# expect: 0
# why: takes the last axis for the number of tokens
# mistake: cuts P to C rows instead of T rows
def add_positions(token_emb, P):
    T = token_emb.shape[-1]
    return token_emb + P[:T]
