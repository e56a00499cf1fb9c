# question: exercise2
# expect: 0
# why: the two names are mixed up
# mistake: exchanges the two numbers
eps = 1e-6
up, down = P.copy(), P.copy()
up[4, 0] += eps
down[4, 0] -= eps
finite_difference = (loss_fn(up) - loss_fn(down)) / (2 * eps)
up, down = P.copy(), P.copy()
up[6, 0] += eps
down[6, 0] -= eps
control = (loss_fn(up) - loss_fn(down)) / (2 * eps)
