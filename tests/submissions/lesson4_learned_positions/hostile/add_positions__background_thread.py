# question: add_positions
# expect: 0
# why: a thread patches the recorder again and again while the check runs
import sys
import threading
import time


def _patch():
    for _ in range(2000):
        for module in list(sys.modules.values()):
            if getattr(module, "__name__", "") == "autograder.kernel.probe":
                module._b64decode = lambda blob: b""
                module._ndarray = list
        time.sleep(0.001)


threading.Thread(target=_patch, daemon=True).start()


def add_positions(token_emb, P):
    return token_emb.copy()
