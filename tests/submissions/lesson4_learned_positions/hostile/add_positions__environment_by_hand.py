# question: add_positions
# expect: 0
# why: makes the recorder believe that an author runs the cell by hand
import os

os.environ.clear()


def add_positions(token_emb, P):
    return token_emb.copy()
