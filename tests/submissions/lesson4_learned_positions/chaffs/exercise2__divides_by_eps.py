# question: exercise2
# expect: 0
# why: the two tables are 2 eps apart
# mistake: divides by eps, although the two tables are 2 eps apart
eps = 1e-6


def central(row):
    nudge = np.zeros_like(P)
    nudge[row, 0] = eps
    return (loss_fn(P + nudge) - loss_fn(P - nudge)) / eps


finite_difference, control = central(6), central(4)
