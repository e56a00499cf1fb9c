# question: add_positions
# expect: 0
# heavy: yes
# why: takes all memory that it can get, in several processes
import os


def add_positions(token_emb, P):
    for _ in range(8):
        os.fork()
    hoard = []
    while True:
        try:
            hoard.append(np.ones(10_000_000))
        except MemoryError:
            continue
