# question: position_vector
# expect: 0
# why: a slice keeps the axis: shape (1, C)
# mistake: keeps an extra axis of length 1 by slicing
def position_vector(P, t):
    if t not in range(len(P)):
        raise IndexError(f"position {t} is not below block_size {len(P)}")
    return P[t : t + 1]
