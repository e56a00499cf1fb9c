# question: max_relative_error
# expect: 0
# why: relative to the second argument only, so not symmetric
# mistake: divides by the size of b alone
def max_relative_error(a, b, floor=1e-12):
    size = np.maximum(np.abs(b), floor)
    return float(np.max(np.abs(b - a) / size))
