# question: sinusoidal_position
# expect: 0
# why: np.zeros_like of an integer array cuts every value to a whole number
# mistake: stores the result as integers
def sinusoidal_position(t, C):
    i = np.arange(C)
    vector = np.zeros_like(i)
    angles = t / 10000 ** (i[0::2] / C)
    vector[0::2] = np.sin(angles)
    vector[1::2] = np.cos(angles)
    return vector
