# question: sinusoidal_position
# expect: 0
# why: odd dimensions get an angle of their own
# mistake: gives each odd dimension an angle of its own, not that of its even neighbor
def sinusoidal_position(t, C):
    vector = np.zeros(C)
    for i in range(C):
        angle = t / 10000 ** (i / C)
        vector[i] = np.sin(angle) if i % 2 == 0 else np.cos(angle)
    return vector
