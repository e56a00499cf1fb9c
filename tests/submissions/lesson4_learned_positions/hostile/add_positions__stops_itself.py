# question: add_positions
# expect: 0
# why: the kernel stops itself, as Ctrl-Z does
import os
import signal


def add_positions(token_emb, P):
    os.kill(os.getpid(), signal.SIGSTOP)
