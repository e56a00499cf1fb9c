# question: add_positions
# expect: 0
# why: a trace function watches the recorder and exchanges what it sees
import sys
import threading


def _trace(frame, event, arg):
    if "_record_call" in frame.f_code.co_name:
        frame.f_locals["function"] = lambda tok, P: tok
        frame.f_locals["result"] = 4
    return _trace


sys.settrace(_trace)
sys.setprofile(_trace)
threading.settrace(_trace)


def add_positions(token_emb, P):
    return token_emb.copy()
