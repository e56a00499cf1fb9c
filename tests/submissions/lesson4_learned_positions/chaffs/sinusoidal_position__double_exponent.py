# question: sinusoidal_position
# expect: 0
# why: the paper's 2i / d, with an i that is already even
# mistake: doubles the exponent: 2 i / C, where i is already the even index
def sinusoidal_position(t, C):
    i = np.arange(0, C, 2)
    angles = t / np.power(10000.0, 2 * i / C)
    vector = np.empty(C)
    vector[::2], vector[1::2] = np.sin(angles), np.cos(angles)
    return vector
