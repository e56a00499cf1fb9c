# question: add_positions
# expect: 0
# why: keeps one array per shape and writes each result into it, so an earlier result changes later
# mistake: writes every result into the same array
results = {}


def add_positions(token_emb, P):
    shape = token_emb.shape
    if shape not in results:
        results[shape] = np.empty(shape)
    np.add(token_emb, P[: shape[1]], out=results[shape])
    return results[shape]
