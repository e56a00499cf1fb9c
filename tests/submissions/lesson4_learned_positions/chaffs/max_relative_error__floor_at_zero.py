# question: max_relative_error
# expect: 1.5
# why: uses the floor only where the denominator is exactly zero; one edge
# mistake: uses the floor where both are zero only, or never
def max_relative_error(a, b, floor=1e-12):
    size = np.abs(a) + np.abs(b)
    size[size == 0] = floor
    return np.max(np.abs(a - b) / size)
