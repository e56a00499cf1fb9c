# question: add_positions
# expect: 0
# why: dtypes with fields, sub-arrays, dates and void cannot pass for numbers
KINDS = ["M8[s]", "V16", [("a", "f8"), ("b", "O")], "U5", "S3", np.longdouble, "c16"]


def add_positions(token_emb, P):
    add_positions.calls = getattr(add_positions, "calls", -1) + 1
    return np.zeros(token_emb.shape, dtype=KINDS[add_positions.calls % len(KINDS)])
