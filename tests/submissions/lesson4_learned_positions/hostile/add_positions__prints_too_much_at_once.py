# question: add_positions
# expect: full
# why: one print of a hundred megabytes at the end of the cell; the answer is right
def add_positions(token_emb, P):
    return token_emb + P[: token_emb.shape[1]]


print("0123456789" * 10_000_000)
