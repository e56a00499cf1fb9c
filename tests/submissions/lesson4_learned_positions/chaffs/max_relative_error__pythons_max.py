# question: max_relative_error
# expect: 0
# why: max(floor, array) asks a whole array whether it is larger and gets a ValueError
# mistake: compares floor with a whole array at once, with max or if; np.maximum goes by entry
def max_relative_error(a, b, floor=1e-12):
    return np.max(np.abs(a - b) / max(floor, np.abs(a) + np.abs(b)))
