# question: position_vector
# expect: 0
# why: two positions become one
# mistake: wraps the position round with a modulo
def position_vector(P, t):
    return P[t % P.shape[0]]
