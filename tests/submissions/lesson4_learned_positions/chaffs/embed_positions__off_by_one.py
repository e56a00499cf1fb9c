# question: embed_positions
# expect: 0
# why: T may be equal to block_size
# mistake: refuses T equal to block_size: off by one
def embed_positions(token_emb, P):
    T, block_size = token_emb.shape[1], P.shape[0]
    if T >= block_size:
        raise IndexError(f"T={T} is too long for block_size={block_size}")
    return token_emb + P[:T]
