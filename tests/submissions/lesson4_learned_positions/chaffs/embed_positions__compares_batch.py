# question: embed_positions
# expect: 0
# why: len(token_emb) is the number of sequences
# mistake: compares B, the number of sequences, with block_size
def embed_positions(token_emb, P):
    if len(token_emb) > len(P):
        raise IndexError(f"T={len(token_emb)} but block_size={len(P)}")
    return token_emb + P[: token_emb.shape[1]]
