# question: add_positions
# expect: 0
# why: changes the caller's array and gives nothing back
# mistake: changes token_emb in place and returns nothing
def add_positions(token_emb, P):
    for b in range(len(token_emb)):
        for t in range(token_emb.shape[1]):
            token_emb[b, t] += P[t]
