# question: position_vector
# expect: 0
# why: return in place of raise
# mistake: returns the error instead of raising it
def position_vector(P, t):
    if t < 0 or t >= P.shape[0]:
        return IndexError(f"t is {t} but block_size is {P.shape[0]}")
    return P[t]
