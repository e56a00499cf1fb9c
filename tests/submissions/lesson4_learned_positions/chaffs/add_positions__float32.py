# question: add_positions
# expect: 0
# why: rounds to float32 although the contract says float64
# mistake: returns float32 instead of float64
def add_positions(token_emb, P):
    out = np.zeros(token_emb.shape, dtype="float32")
    out += token_emb.astype("float32")
    return (token_emb + P[: token_emb.shape[1]]).astype("float32")
