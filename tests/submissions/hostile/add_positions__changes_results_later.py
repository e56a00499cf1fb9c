# question: add_positions
# expect: full
# why: spoils the results of earlier calls; each was right when it was returned and recorded
_returned = []


def add_positions(token_emb, P):
    for array in _returned:
        array[...] = np.nan
    out = token_emb + P[: token_emb.shape[1]]
    _returned.append(out)
    return out
