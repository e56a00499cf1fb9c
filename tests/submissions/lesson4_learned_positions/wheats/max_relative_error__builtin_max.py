# question: max_relative_error
# expect: full
# why: the built-in max over pairs of plain numbers
def max_relative_error(a, b, floor=1e-12):
    pairs = zip(np.ravel(a), np.ravel(b), strict=True)
    return max(abs(p - q) / max(floor, abs(p) + abs(q)) for p, q in pairs)
