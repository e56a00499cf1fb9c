# question: position_vector
# expect: 0
# why: compares with the block_size of the setup cell
# mistake: checks against the 8 rows of the notebook's table, not the rows of its argument
def position_vector(P, t):
    if t < 0 or t >= block_size:
        raise IndexError(f"t={t}, block_size={block_size}")
    return P[t]
