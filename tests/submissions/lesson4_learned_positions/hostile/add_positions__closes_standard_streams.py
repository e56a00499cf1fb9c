# question: add_positions
# expect: full
# why: the standard streams are closed or gone; the answer is right
import os
import sys


def add_positions(token_emb, P):
    return token_emb + P[: token_emb.shape[1]]


for _number in (0, 1, 2):
    try:
        os.close(_number)
    except OSError:
        pass
sys.stdin = sys.__stdin__ = sys.__stdout__ = sys.__stderr__ = None
