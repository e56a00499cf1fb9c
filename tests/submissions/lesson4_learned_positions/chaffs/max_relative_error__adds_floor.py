# question: max_relative_error
# expect: 1.5
# why: added to every denominator, a large floor changes every error; one edge
# mistake: adds the floor to the denominator instead of raising it to the floor
def max_relative_error(a, b, floor=1e-12):
    return np.max(np.abs(a - b) / (np.abs(a) + np.abs(b) + floor))
