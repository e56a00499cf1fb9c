# question: add_positions
# expect: 0
# why: prints forever before the function is defined
while True:
    print("still here " * 50)


def add_positions(token_emb, P):
    return token_emb + P[: token_emb.shape[1]]
