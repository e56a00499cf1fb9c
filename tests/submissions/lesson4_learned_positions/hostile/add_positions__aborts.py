# question: add_positions
# expect: 0
# why: the function aborts the process, which would leave a core dump
import os


def add_positions(token_emb, P):
    os.abort()
