# question: sinusoidal_position
# expect: full
# why: one lambda; the docstring is gone
sinusoidal_position = lambda t, C: np.array(
    [f(t * 10000 ** (-2 * k / C)) for k in range(C // 2) for f in (np.sin, np.cos)]
)
