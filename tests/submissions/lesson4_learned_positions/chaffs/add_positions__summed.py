# question: add_positions
# expect: 0
# why: sums the position vectors, so that all tokens get the same
# mistake: adds the sum of the T position vectors to every token
def add_positions(token_emb, P):
    T = token_emb.shape[1]
    pos = np.sum(P[:T], axis=0)
    return token_emb + pos
