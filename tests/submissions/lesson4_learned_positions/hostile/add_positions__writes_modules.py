# question: add_positions
# expect: full
# why: writes files named like modules and loads everything anew; the answer is right
import importlib
import sys
from pathlib import Path

for _name in ("numpy", "json", "autograder", "random", "math", "IPython"):
    Path(f"{_name}.py").write_text("raise RuntimeError('the wrong module')")


def add_positions(token_emb, P):
    return token_emb + P[: token_emb.shape[1]]


importlib.invalidate_caches()
importlib.reload(sys.modules["autograder.kernel.probe"])
