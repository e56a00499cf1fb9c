# question: embed_positions
# expect: 0
# why: the right check, another exception than the contract names
# mistake: raises ValueError, where the contract asks for IndexError
def embed_positions(token_emb, P):
    B, T, C = token_emb.shape
    if T > P.shape[0]:
        raise ValueError(f"sequence of {T} tokens is longer than block_size {P.shape[0]}")
    return token_emb + P[:T]
