# question: embed_positions
# expect: 0
# why: turns NumPy's error into an IndexError, but a table of one row causes none
# mistake: catches NumPy's broadcasting error, which never comes if block_size is 1
def embed_positions(token_emb, P):
    T, block_size = token_emb.shape[1], P.shape[0]
    try:
        return token_emb + P[:T]
    except ValueError as error:
        raise IndexError(f"{T} tokens do not fit into block_size {block_size}") from error
