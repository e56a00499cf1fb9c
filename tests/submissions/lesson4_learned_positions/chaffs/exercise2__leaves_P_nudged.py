# question: exercise2
# expect: 0
# why: the numbers are right, but P does not keep its values
# mistake: nudges P itself and leaves it nudged
eps = 1e-6
P[6, 0] += eps
up = loss_fn(P)
P[6, 0] -= 2 * eps
finite_difference = (up - loss_fn(P)) / (2 * eps)
P[4, 0] += eps
up = loss_fn(P)
P[4, 0] -= 2 * eps
control = (up - loss_fn(P)) / (2 * eps)
