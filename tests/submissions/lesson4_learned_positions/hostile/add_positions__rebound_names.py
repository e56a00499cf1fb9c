# question: add_positions
# expect: full
# why: rebinds names that a check might use; the answer is right and keeps its points
def add_positions(token_emb, P):
    return token_emb + P[: token_emb.shape[1]]


np = probe = case = default_rng = print = len = isinstance = _autograder = __name__ = None
_autograder_check = __builtins__ = exec = AssertionError = "mine"
