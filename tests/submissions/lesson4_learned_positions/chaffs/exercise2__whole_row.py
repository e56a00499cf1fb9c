# question: exercise2
# expect: 0
# why: nudges all four numbers of a row
# mistake: nudges a whole row instead of one entry
eps = 1e-6
results = []
for row in (6, 4):
    nudge = np.zeros_like(P)
    nudge[row] = eps
    results.append((loss_fn(P + nudge) - loss_fn(P - nudge)) / (2 * eps))
finite_difference, control = results
