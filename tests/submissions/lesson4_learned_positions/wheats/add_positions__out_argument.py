# question: add_positions
# expect: full
# why: np.add writes into a fresh array
def add_positions(token_emb, P):
    out = np.empty_like(token_emb)
    np.add(token_emb, P[: token_emb.shape[1]], out=out)
    return out
