# question: embed_positions
# expect: 0
# why: cuts the text as a generator would, which is the caller's choice
# mistake: drops the tokens that do not fit: the last ones
def embed_positions(token_emb, P):
    block_size = P.shape[0]
    T = min(token_emb.shape[1], block_size)
    return token_emb[:, :T] + P[:T]
