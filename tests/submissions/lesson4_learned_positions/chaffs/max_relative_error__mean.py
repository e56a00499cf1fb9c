# question: max_relative_error
# expect: 0
# why: one bad row hides among many good ones
# mistake: takes the mean of the errors instead of the largest
def max_relative_error(a, b, floor=1e-12):
    size = np.maximum(floor, np.abs(a) + np.abs(b))
    return (np.abs(a - b) / size).mean()
