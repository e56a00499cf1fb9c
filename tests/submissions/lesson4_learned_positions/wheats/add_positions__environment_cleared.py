# question: add_positions
# expect: full
# why: a clean environment is no concern of the recorder
import os

os.environ.clear()


def add_positions(token_emb, P):
    return token_emb + P[: token_emb.shape[1]]
