# question: position_vector
# expect: full
# why: turns only negative positions away and lets NumPy name both numbers past the end
def position_vector(P, t):
    if t < 0:
        raise IndexError(
            f"""t = {t}
            is negative; the table has
            block_size = {P.shape[0]}"""
        )
    return P[t]
