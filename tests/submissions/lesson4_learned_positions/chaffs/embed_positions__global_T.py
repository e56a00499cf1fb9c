# question: embed_positions
# expect: 0
# why: looks at the T of the setup cell
# mistake: uses T of the notebook, always 5
def embed_positions(token_emb, P):
    if T > len(P):
        raise IndexError(f"T={T}, block_size={len(P)}")
    return token_emb + P[:T]
