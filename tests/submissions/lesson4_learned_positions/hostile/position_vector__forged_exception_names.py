# question: position_vector
# expect: 0
# why: raises a ValueError whose class calls itself builtins.IndexError
IndexErrorToo = type(
    "IndexError", (ValueError,), {"__module__": "builtins", "__qualname__": "IndexError"}
)


def position_vector(P, t):
    if not 0 <= t < len(P):
        raise IndexErrorToo(f"position {t}, block_size {len(P)}")
    return P[t]
