# question: embed_positions
# expect: 0
# why: an assert raises AssertionError
# mistake: raises AssertionError, where the contract asks for IndexError
def embed_positions(token_emb, P):
    T, block_size = token_emb.shape[1], P.shape[0]
    assert T <= block_size, f"T={T} > block_size={block_size}"
    return token_emb + P[:T]
