# question: embed_positions
# expect: 0
# why: keeps the newest tokens without being asked
# mistake: drops the tokens that do not fit: the first ones
def embed_positions(token_emb, P):
    block_size = P.shape[0]
    if token_emb.shape[1] > block_size:
        token_emb = token_emb[:, -block_size:]
    return token_emb + P[: token_emb.shape[1]]
