# question: max_relative_error
# expect: full
# why: max and list are other things from here on; the function uses neither
list = [1.0, 0.0, 2.0]
max = np.array(list).max()


def max_relative_error(a, b, floor=1e-12):
    worst = 0.0
    size = np.abs(a) + np.abs(b)
    size[size < floor] = floor
    for ratio in np.nditer(np.abs(a - b) / size):
        if ratio > worst:
            worst = float(ratio)
    return worst
