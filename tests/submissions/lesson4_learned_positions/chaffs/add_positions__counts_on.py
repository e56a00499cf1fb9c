# question: add_positions
# expect: 0
# why: numbers the tokens of the whole batch, so the second sequence starts at position T
# mistake: lets the positions of a sequence go on where the last one ended
def add_positions(token_emb, P):
    B, T, C = token_emb.shape
    flat = token_emb.reshape(B * T, C)
    return (flat + P[: B * T]).reshape(B, T, C)
