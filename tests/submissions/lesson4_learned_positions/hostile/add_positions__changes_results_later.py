# question: add_positions
# expect: 0
# why: changes the result of an earlier call, which the caller still has
_returned = []


def add_positions(token_emb, P):
    for array in _returned:
        array[...] = np.nan
    out = token_emb + P[: token_emb.shape[1]]
    _returned.append(out)
    return out
