# question: exercise2
# expect: 0
# why: / 2 * eps multiplies by eps, which leaves next to nothing
# mistake: has a control near 0: loss_fn saw one table twice, or / 2 * eps multiplies
eps = 1e-6


def moved(row, by):
    table = np.array(P)
    table[row, 0] += by
    return loss_fn(table)


finite_difference = (moved(6, eps) - moved(6, -eps)) / 2 * eps
control = (moved(4, eps) - moved(4, -eps)) / 2 * eps
