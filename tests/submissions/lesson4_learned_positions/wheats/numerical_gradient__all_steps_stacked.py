# question: numerical_gradient
# expect: full
# why: makes all moved copies first and measures them in two list comprehensions
def numerical_gradient(f, x, eps=1e-6):
    x = np.asarray(x, dtype=float)
    steps = np.eye(x.size).reshape((x.size,) + x.shape) * eps
    up = np.array([f(x + step) for step in steps])
    down = np.array([f(x - step) for step in steps])
    return ((up - down) / (2 * eps)).reshape(x.shape)
