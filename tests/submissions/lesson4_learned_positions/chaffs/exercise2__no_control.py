# question: exercise2
# expect: 0
# why: the control is left at None
# mistake: leaves the control out
eps = 1e-6
finite_difference = None  # a number, for the entry P[6, 0]
control = None  # a number, for the entry P[4, 0]
plus, minus = P.copy(), P.copy()
plus[6, 0] += eps
minus[6, 0] -= eps
finite_difference = (loss_fn(plus) - loss_fn(minus)) / (2 * eps)
