# question: max_relative_error
# expect: 0
# why: without the size of the difference, a too small gradient looks fine
# mistake: keeps the sign of the difference
def max_relative_error(a, b, floor=1e-12):
    denominator = np.maximum(floor, np.abs(a) + np.abs(b))
    return np.max((a - b) / denominator)
