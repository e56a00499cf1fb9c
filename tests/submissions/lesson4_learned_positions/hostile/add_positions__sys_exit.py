# question: add_positions
# expect: full
# why: leaving the cell by sys.exit leaves the function defined, and it is right
import sys


def add_positions(token_emb, P):
    return token_emb + P[: token_emb.shape[1]]


sys.exit("goodbye")
