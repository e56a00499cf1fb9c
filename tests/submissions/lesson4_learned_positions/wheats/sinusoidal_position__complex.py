# question: sinusoidal_position
# expect: full
# why: a complex exponential viewed as pairs of floats
def sinusoidal_position(t, C):
    """Return the sinusoidal vector of position t."""
    frequency = np.exp(-np.log(10000.0) * np.arange(0, C, 2) / C)
    z = np.exp(1j * t * frequency)
    return (z.imag + 1j * z.real).view(np.float64)
