# question: position_vector
# expect: 0
# why: raises KeyboardInterrupt in place of IndexError
def position_vector(P, t):
    if not 0 <= t < len(P):
        raise KeyboardInterrupt
    return P[t]
