# question: add_positions
# expect: full
# why: shows a thousand small things in one cell; the answer is right
def add_positions(token_emb, P):
    return token_emb + P[: token_emb.shape[1]]


for _number in range(1_000):
    display(_number)
