# question: add_positions
# expect: 0
# why: never returns and ignores all signals that can be ignored
import signal


def add_positions(token_emb, P):
    for number in signal.valid_signals():
        try:
            signal.signal(number, signal.SIG_IGN)
        except (OSError, ValueError):
            continue
    signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    while True:
        pass
