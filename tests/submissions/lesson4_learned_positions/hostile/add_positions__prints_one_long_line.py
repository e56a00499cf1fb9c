# question: add_positions
# expect: full
# why: prints five million characters without a line end; the answer is right
def add_positions(token_emb, P):
    return token_emb + P[: token_emb.shape[1]]


print("x" * 5_000_000, end="")
