# question: position_vector
# expect: 0
# why: takes position 1 for the first row
# mistake: counts positions from 1
def position_vector(P, t):
    block_size = len(P)
    if t < 1 or t > block_size:
        raise IndexError(f"position {t}, block_size {block_size}")
    return P[t - 1]
