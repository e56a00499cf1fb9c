# question: add_positions
# expect: 0
# why: rebinds names that a check might use; the answer is wrong
def add_positions(token_emb, P):
    return token_emb * 1.0


def probe(*args, **kwargs):
    return 4


case = run_check = _publish = encode = probe
