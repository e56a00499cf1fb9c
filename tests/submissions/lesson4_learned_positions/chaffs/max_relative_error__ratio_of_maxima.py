# question: max_relative_error
# expect: 0
# why: takes both maxima first, so small entries no longer count
# mistake: divides the largest difference by the largest size, wherever they are
def max_relative_error(a, b, floor=1e-12):
    worst = np.max(np.abs(a - b))
    size = np.max(np.abs(a) + np.abs(b))
    return worst / max(floor, size)
