# question: sinusoidal_position
# expect: 0
# why: pairs of sine and cosine, but still as rows of a matrix
# mistake: returns pairs of sine and cosine instead of one row
def sinusoidal_position(t, C):
    angles = t / 10000 ** (np.arange(0, C, 2) / C)
    return np.column_stack([np.sin(angles), np.cos(angles)])
