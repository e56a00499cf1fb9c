# question: position_vector
# expect: 0
# why: NumPy counts a negative index from the end
# mistake: lets a negative position wrap round to the end of the table
def position_vector(P, t):
    block_size = P.shape[0]
    if t >= block_size:
        raise IndexError(f"position {t} is too large for block_size {block_size}")
    return P[t]
