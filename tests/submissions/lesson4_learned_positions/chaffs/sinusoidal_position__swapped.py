# question: sinusoidal_position
# expect: 0
# why: cosines in the even places
# mistake: swaps sine and cosine
def sinusoidal_position(t, C):
    angles = t / 10000 ** (np.arange(0, C, 2) / C)
    vector = np.zeros(C)
    vector[0::2] = np.cos(angles)
    vector[1::2] = np.sin(angles)
    return vector
