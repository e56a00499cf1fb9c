# question: max_relative_error
# expect: 0
# why: decides on its own what is small
# mistake: says whether the error is small instead of how large it is
def max_relative_error(a, b, floor=1e-12):
    errors = np.abs(a - b) / np.maximum(floor, np.abs(a) + np.abs(b))
    return bool((errors < 1e-6).all())
