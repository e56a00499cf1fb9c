# question: max_relative_error
# expect: full
# why: changes how arrays are printed and prints a lot of them
np.set_printoptions(precision=1, threshold=10**6, linewidth=40, suppress=True)


def max_relative_error(a, b, floor=1e-12):
    errors = np.abs(np.subtract(a, b)) / np.maximum(floor, np.abs(a) + np.abs(b))
    print(errors)
    return errors.flat[np.argmax(errors)]


big = np.arange(30_000.0).reshape(300, 100)
max_relative_error(big, big + 1)
