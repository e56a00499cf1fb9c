# question: sinusoidal_position
# expect: 0
# why: counts pairs, and forgets the factor 2
# mistake: halves the exponent: the number of the pair instead of the even index
def sinusoidal_position(t, C):
    vector = np.zeros(C)
    for k in range(C // 2):
        angle = t / 10000 ** (k / C)
        vector[2 * k] = np.sin(angle)
        vector[2 * k + 1] = np.cos(angle)
    return vector
