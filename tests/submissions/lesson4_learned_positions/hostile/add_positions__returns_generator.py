# question: add_positions
# expect: 0
# why: a generator is not an array, whatever it would yield
def add_positions(token_emb, P):
    while True:
        yield token_emb + P[: token_emb.shape[1]]
