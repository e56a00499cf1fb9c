# question: sinusoidal_position
# expect: 0
# why: forgets the cosine
# mistake: uses the sine in every dimension
def sinusoidal_position(t, C):
    angles = t / 10000 ** (np.arange(0, C, 2) / C)
    return np.sin(np.repeat(angles, 2))
