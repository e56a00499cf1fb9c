# question: add_positions
# expect: 0
# why: isinstance and len lie while the check runs
import builtins

_isinstance, _len = builtins.isinstance, builtins.len


def add_positions(token_emb, P):
    builtins.isinstance = lambda *a: True
    builtins.len = lambda x: 0
    return token_emb.copy()
