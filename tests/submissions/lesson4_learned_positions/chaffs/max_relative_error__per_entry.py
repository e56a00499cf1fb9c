# question: max_relative_error
# expect: 0
# why: the maximum is missing
# mistake: returns an error for each entry instead of the largest
def max_relative_error(a, b, floor=1e-12):
    return np.abs(a - b) / np.maximum(floor, np.abs(a) + np.abs(b))
