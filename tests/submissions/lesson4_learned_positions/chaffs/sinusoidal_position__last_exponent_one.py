# question: sinusoidal_position
# expect: 0
# why: linspace reaches 1 at the last pair
# mistake: spaces the exponents so that the last one is 1
def sinusoidal_position(t, C):
    exponents = np.linspace(0, 1, C // 2)
    angles = t / 10000**exponents
    return np.stack([np.sin(angles), np.cos(angles)], axis=1).ravel()
