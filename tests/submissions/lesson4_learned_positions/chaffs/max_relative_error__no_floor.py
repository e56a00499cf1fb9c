# question: max_relative_error
# expect: 0
# why: 0 / 0 is NaN and the maximum of anything and NaN is NaN
# mistake: has no floor, so that two zeros give NaN
def max_relative_error(a, b, floor=1e-12):
    error = np.abs(a - b) / (np.abs(a) + np.abs(b))
    return error.max()
