# question: add_positions
# expect: full
# why: things to do when the kernel ends; it ends all the same, and the answer is right
import atexit
import signal
import threading


def _never():
    while True:
        pass


def add_positions(token_emb, P):
    return token_emb + P[: token_emb.shape[1]]


atexit.register(_never)
threading.Thread(target=_never).start()
for _number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
    signal.signal(_number, lambda *args: _never())
