# question: position_vector
# expect: 0
# why: refuses position block_size - 1, which exists
# mistake: refuses the last row: off by one at the end
def position_vector(P, t):
    block_size = len(P)
    if t < 0 or t >= block_size - 1:
        raise IndexError(f"position {t}, block_size {block_size}")
    return P[t]
