# question: max_relative_error
# expect: 0
# why: |a + b| is not |a| + |b| when the signs differ
# mistake: adds a and b before it takes their size
def max_relative_error(a, b, floor=1e-12):
    total = np.abs(a + b)
    total = np.where(total > floor, total, floor)
    return np.max(np.abs(a - b) / total)
