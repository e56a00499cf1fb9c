# question: sinusoidal_position
# expect: 0
# why: a missing minus sign in the exponent
# mistake: multiplies by the power of 10000 instead of dividing
def sinusoidal_position(t, C):
    angles = t * 10000 ** (np.arange(0, C, 2) / C)
    vector = np.empty(C)
    vector[0::2] = np.sin(angles)
    vector[1::2] = np.cos(angles)
    return vector
