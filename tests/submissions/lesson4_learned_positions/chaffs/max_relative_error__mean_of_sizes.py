# question: max_relative_error
# expect: 0
# why: relative to the mean of the two sizes, every error is twice as large
# mistake: divides by the mean of the two sizes, which doubles every error
def max_relative_error(a, b, floor=1e-12):
    mean_size = 0.5 * (np.abs(a) + np.abs(b))
    return np.max(np.abs(a - b) / np.maximum(mean_size, floor))
