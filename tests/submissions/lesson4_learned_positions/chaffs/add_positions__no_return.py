# question: add_positions
# expect: 0
# why: computes the sum and does not return it
# mistake: returns nothing
def add_positions(token_emb, P):
    """Add to every token of a batch the vector of its position."""
    T = token_emb.shape[1]
    out = token_emb + P[:T]
