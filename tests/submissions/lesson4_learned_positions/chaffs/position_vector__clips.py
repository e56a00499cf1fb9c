# question: position_vector
# expect: 0
# why: hands out the nearest row in place of refusing
# mistake: clips the position to the nearest row
def position_vector(P, t):
    t = int(np.clip(t, 0, len(P) - 1))
    return P[t]
