# question: add_positions
# expect: 0
# why: an audit hook stops the check from being loaded
import sys


def _hook(event, args):
    if event in ("marshal.loads", "code.__new__"):
        raise RuntimeError("no checks today")


sys.addaudithook(_hook)


def add_positions(token_emb, P):
    return token_emb.copy()
