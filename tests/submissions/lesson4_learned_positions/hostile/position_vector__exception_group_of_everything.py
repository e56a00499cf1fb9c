# question: position_vector
# expect: 0
# why: a group that holds an IndexError is not an IndexError
def position_vector(P, t):
    if not 0 <= t < len(P):
        many = [IndexError(f"{t} {len(P)}"), KeyError(t), ValueError(t)]
        raise ExceptionGroup(f"position {t}, block_size {len(P)}", many)
    return P[t]
