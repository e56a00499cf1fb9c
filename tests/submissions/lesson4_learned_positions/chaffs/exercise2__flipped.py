# question: exercise2
# expect: 0
# why: minus comes first
# mistake: has the wrong sign: it subtracts in the wrong order, or drops the sign
eps = 1e-6
n6 = np.zeros_like(P)
n4 = np.zeros_like(P)
n6[6, 0] = eps
n4[4, 0] = eps
finite_difference = (loss_fn(P - n6) - loss_fn(P + n6)) / (2 * eps)
control = (loss_fn(P - n4) - loss_fn(P + n4)) / (2 * eps)
