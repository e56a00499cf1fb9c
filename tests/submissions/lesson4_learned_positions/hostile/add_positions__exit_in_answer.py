# question: add_positions
# expect: 0
# why: the kernel ends in the answer cell, so there is no answer; the question before counts
import os


def add_positions(token_emb, P):
    return token_emb + P[: token_emb.shape[1]]


os._exit(0)
