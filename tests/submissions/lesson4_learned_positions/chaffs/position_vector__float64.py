# question: position_vector
# expect: 1.5
# why: copies into a float64 vector, whatever the table is; one edge
# mistake: always returns float64, whatever the dtype of P
def position_vector(P, t):
    block_size, C = P.shape
    if t < 0 or t > block_size - 1:
        raise IndexError(f"position {t}: block_size is {block_size}")
    vector = np.zeros(C)
    vector += P[t]
    return vector
