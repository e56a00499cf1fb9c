# question: add_positions
# expect: 0
# why: built-ins that agree to everything
import builtins

builtins.all = builtins.any = builtins.callable = lambda *a, **k: True
builtins.sum = lambda *a, **k: 0
builtins.abs = lambda x: 0
builtins.sorted = lambda *a, **k: []


def add_positions(token_emb, P):
    return token_emb.copy()
