# question: max_relative_error
# expect: 0
# why: the second argument of np.max is an axis
# mistake: calls np.max with two arguments where np.maximum is meant
def max_relative_error(a, b, floor=1e-12):
    size = np.max(floor, np.abs(a) + np.abs(b))
    return np.max(np.abs(a - b) / size)
