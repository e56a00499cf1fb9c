# question: sinusoidal_position
# expect: 0
# why: the power binds before the division
# mistake: lacks the parentheses around i / C
def sinusoidal_position(t, C):
    i = np.arange(0, C, 2)
    angles = t / 10000**i / C
    vector = np.empty(C)
    vector[0::2] = np.sin(angles)
    vector[1::2] = np.cos(angles)
    return vector
