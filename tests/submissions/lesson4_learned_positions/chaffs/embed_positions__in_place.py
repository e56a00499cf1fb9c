# question: embed_positions
# expect: 0
# why: the guard is right, but the caller's array is overwritten
# mistake: changes token_emb in place
def embed_positions(token_emb, P):
    T, block_size = token_emb.shape[1], P.shape[0]
    if T > block_size:
        raise IndexError(f"T={T}, block_size={block_size}")
    token_emb += P[:T]
    return token_emb
