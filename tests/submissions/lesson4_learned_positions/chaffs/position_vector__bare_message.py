# question: position_vector
# expect: 1
# why: the right exception, but a message that helps nobody; two edges
# mistake: raises the right error without naming t and block_size in its message
def position_vector(P, t):
    if t < 0 or t >= P.shape[0]:
        raise IndexError("no such position")
    return P[t]
