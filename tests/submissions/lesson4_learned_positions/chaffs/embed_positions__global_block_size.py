# question: embed_positions
# expect: 0
# why: compares with the block_size of the setup cell, not with the rows of P
# mistake: checks against the 8 rows of the notebook's table, not the rows of its argument
def embed_positions(token_emb, P):
    T = token_emb.shape[1]
    if T > block_size:
        raise IndexError(f"T={T}, block_size={block_size}")
    return token_emb + P[:T]
