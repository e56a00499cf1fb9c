# question: add_positions
# expect: 0
# heavy: yes
# why: two copies of the kernel answer on the same sockets
import os


def add_positions(token_emb, P):
    os.fork()
    return token_emb.copy()
