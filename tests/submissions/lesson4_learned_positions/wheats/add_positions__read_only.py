# question: add_positions
# expect: full
# why: the result is locked against accidents, which the contract does not forbid
def add_positions(token_emb, P):
    """Add to every token of a batch the vector of its position."""
    T = token_emb.shape[1]
    out = token_emb + P[:T]
    out.flags.writeable = False
    return out
