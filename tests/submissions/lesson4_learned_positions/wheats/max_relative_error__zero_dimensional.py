# question: max_relative_error
# expect: full
# why: an array without dimensions is one number
def max_relative_error(a, b, floor=1e-12):
    a, b = np.atleast_1d(a, b)
    errors = np.sort((np.abs(a - b) / np.fmax(floor, np.abs(a) + np.abs(b))).ravel())
    return np.array(errors[-1])
