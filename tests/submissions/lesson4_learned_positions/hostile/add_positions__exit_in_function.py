# question: add_positions
# expect: 0
# why: the kernel ends when the function is called; the question before counts
import os


def add_positions(token_emb, P):
    os._exit(17)
