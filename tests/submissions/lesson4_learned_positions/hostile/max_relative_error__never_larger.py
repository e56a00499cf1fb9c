# question: max_relative_error
# expect: 0
# why: NaN again: not NaN > tolerance is True
def max_relative_error(a, b, floor=1e-12):
    return float("nan")
