# question: add_positions
# expect: 0
# why: shows images forever before the function is defined
import os

while True:
    display({"image/png": os.urandom(50_000).hex()}, raw=True)


def add_positions(token_emb, P):
    return token_emb + P[: token_emb.shape[1]]
