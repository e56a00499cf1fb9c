# question: exercise2
# expect: full
# why: four moved tables in one array, no names but the asked ones
eps = 1e-6
moved = np.repeat(P[np.newaxis], 4, axis=0)
moved[[0, 1, 2, 3], [6, 6, 4, 4], 0] += [eps, -eps, eps, -eps]
finite_difference, control = -np.diff([loss_fn(p) for p in moved])[::2] / (2 * eps)
print(f"{finite_difference:.3f} \t {control:.3f}")
