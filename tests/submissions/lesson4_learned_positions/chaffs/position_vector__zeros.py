# question: position_vector
# expect: 0
# why: a zero vector for a missing row hides the problem
# mistake: returns zeros for a position outside the table
def position_vector(P, t):
    block_size, C = P.shape
    vector = np.zeros(C, dtype=P.dtype)
    if 0 <= t < block_size:
        vector[:] = P[t]
    return vector
