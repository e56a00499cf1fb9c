# question: add_positions
# expect: full
# why: reads standard input where there is none; the answer does not depend on it
import getpass
import os
import sys


def add_positions(token_emb, P):
    return token_emb + P[: token_emb.shape[1]]


print(repr(sys.__stdin__.read()), os.read(0, 10))
getpass.getpass("password? ")
