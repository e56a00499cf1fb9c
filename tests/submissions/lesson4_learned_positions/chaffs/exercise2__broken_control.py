# question: exercise2
# expect: 0
# why: the function nudges copies and hands P to loss_fn, so both numbers are zero
# mistake: has a control near 0: loss_fn saw one table twice, or / 2 * eps multiplies
eps = 1e-6


def slope(row):
    up, down = P.copy(), P.copy()
    up[row, 0] += eps
    down[row, 0] -= eps
    return (loss_fn(P) - loss_fn(P)) / (2 * eps)


finite_difference = slope(6)
control = slope(4)
