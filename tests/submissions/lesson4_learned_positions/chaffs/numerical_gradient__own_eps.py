# question: numerical_gradient
# expect: 0
# why: overwrites the step that was asked for
# mistake: ignores the argument eps
def numerical_gradient(f, x, eps=1e-6):
    eps = 1e-6
    x = np.array(x, dtype=np.float64)
    g = np.zeros(x.shape)
    for i in np.ndindex(*x.shape):
        old = x[i]
        x[i] = old + eps
        above = f(x)
        x[i] = old - eps
        below = f(x)
        x[i] = old
        g[i] = (above - below) / (2 * eps)
    return g
