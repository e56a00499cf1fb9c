# question: max_relative_error
# expect: 0
# why: the difference is not related to the sizes
# mistake: takes the absolute error
def max_relative_error(a, b, floor=1e-12):
    return np.abs(a - b).max()
