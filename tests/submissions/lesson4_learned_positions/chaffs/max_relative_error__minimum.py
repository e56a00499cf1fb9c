# question: max_relative_error
# expect: 0
# why: np.minimum makes the floor a ceiling
# mistake: uses the smaller of floor and |a| + |b|
def max_relative_error(a, b, floor=1e-12):
    size = np.abs(a) + np.abs(b)
    size = np.minimum(size, floor)
    return np.max(np.abs(a - b) / size)
