# question: add_positions
# expect: 0
# why: changes what an earlier call was given, which the caller still has
_seen = []


def add_positions(token_emb, P):
    for array in _seen:
        array += 1000.0
    out = token_emb + P[: token_emb.shape[1]]
    _seen.extend([token_emb, P])
    return out
