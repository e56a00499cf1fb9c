# question: position_vector
# expect: 0
# why: the check looks at the size of t only, and position -1 wraps
# mistake: looks at the size of t without its sign, so that -1 still wraps
def position_vector(P, t):
    block_size = len(P)
    if abs(t) >= block_size:
        raise IndexError(f"position {t}, block_size {block_size}")
    return P[t]
