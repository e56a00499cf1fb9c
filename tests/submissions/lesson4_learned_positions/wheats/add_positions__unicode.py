# question: add_positions
# expect: full
# why: Greek and accented names are names
def add_positions(token_emb, P):
    τ = token_emb.shape[1]
    π = P[:τ]
    évidence = [x + π for x in token_emb]
    return np.asarray(évidence)
