# question: max_relative_error
# expect: 0
# why: divides by the larger size, as another common definition has it
# mistake: divides by the larger of the two sizes instead of their sum
def max_relative_error(a, b, floor=1e-12):
    bigger = np.maximum(np.abs(a), np.abs(b))
    bigger[bigger < floor] = floor
    return np.max(np.abs(a - b) / bigger)
