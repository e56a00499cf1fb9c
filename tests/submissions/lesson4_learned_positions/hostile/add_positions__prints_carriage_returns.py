# question: add_positions
# expect: full
# why: a progress bar of many steps on one line; the answer is right
def add_positions(token_emb, P):
    return token_emb + P[: token_emb.shape[1]]


for _step in range(20_000):
    print(f"{_step:6d} of 20000 ", end="\r")
print("\r" * 2_000_000)
