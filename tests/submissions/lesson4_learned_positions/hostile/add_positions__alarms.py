# question: add_positions
# expect: 0
# why: a timer raises inside the check, again and again
import signal


def _ring(number, frame):
    raise KeyboardInterrupt


signal.signal(signal.SIGALRM, _ring)


def add_positions(token_emb, P):
    signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
    return token_emb.copy()
