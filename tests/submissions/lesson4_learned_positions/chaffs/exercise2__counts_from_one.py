# question: exercise2
# expect: 0
# why: takes the sixth and the fourth row, which are rows 5 and 3
# mistake: counts rows from 1, so that its rows are 5 and 3
eps = 1e-6
finite_difference, control = (
    (loss_fn(P + step) - loss_fn(P - step)) / (2 * eps)
    for step in (eps * np.eye(8)[:, [row - 1]] * np.eye(4)[0] for row in (6, 4))
)
