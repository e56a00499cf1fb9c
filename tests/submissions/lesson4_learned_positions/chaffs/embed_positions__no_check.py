# question: embed_positions
# expect: 0
# why: trusts broadcasting, which is silent for a table of one row
# mistake: leaves it to broadcasting to complain, which it does not if block_size is 1
def embed_positions(token_emb, P):
    T = token_emb.shape[1]
    return token_emb + P[:T]
