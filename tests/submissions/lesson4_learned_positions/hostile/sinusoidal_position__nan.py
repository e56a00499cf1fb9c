# question: sinusoidal_position
# expect: 0
# why: NaN compares unequal to everything, so a careless check lets it pass
def sinusoidal_position(t, C):
    return np.full(C, np.nan)
