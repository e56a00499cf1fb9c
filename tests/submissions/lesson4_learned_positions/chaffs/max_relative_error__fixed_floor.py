# question: max_relative_error
# expect: 1.5
# why: the floor is written into the code; one edge
# mistake: ignores the argument floor
def max_relative_error(a, b, floor=1e-12):
    size = np.abs(a) + np.abs(b)
    size = np.clip(size, 1e-12, None)
    return np.max(np.abs(a - b) / size)
