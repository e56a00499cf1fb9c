# question: add_positions
# expect: 0
# why: gives each sequence one row, the same for all its tokens
# mistake: adds the first B rows of P, one row per sequence, instead of the first T
def add_positions(token_emb, P):
    """Broadcast P over the tokens."""
    B, T, C = token_emb.shape
    return token_emb + P[:B, None, :]
