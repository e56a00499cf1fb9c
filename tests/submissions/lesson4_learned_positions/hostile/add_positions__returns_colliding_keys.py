# question: add_positions
# expect: 0
# why: a mapping whose keys all have the same hash, slow to build for whoever decodes it
_table = {k * (2**61 - 1): None for k in range(1, 4990)}


def add_positions(token_emb, P):
    return _table
