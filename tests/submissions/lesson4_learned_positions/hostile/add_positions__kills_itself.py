# question: add_positions
# expect: 0
# why: the function kills its own process
import os
import signal


def add_positions(token_emb, P):
    os.kill(os.getpid(), signal.SIGKILL)
