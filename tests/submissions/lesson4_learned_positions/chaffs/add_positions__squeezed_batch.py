# question: add_positions
# expect: 3
# why: right but for a batch of one, whose axis is dropped
# mistake: drops the batch axis when there is one sequence
def add_positions(token_emb, P):
    T = token_emb.shape[1]
    out = token_emb + P[:T]
    if out.shape[0] == 1:
        out = out[0]
    return out
