# question: sinusoidal_position
# expect: 0
# why: converts angles that are in radians already
# mistake: takes the angles for degrees
def sinusoidal_position(t, C):
    angles = np.deg2rad(t / 10000 ** (np.arange(0, C, 2) / C))
    vector = np.empty(C)
    vector[0::2] = np.sin(angles)
    vector[1::2] = np.cos(angles)
    return vector
