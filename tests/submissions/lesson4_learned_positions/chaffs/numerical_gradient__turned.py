# question: numerical_gradient
# expect: 0
# why: below minus above
# mistake: subtracts the wrong way round, so that the sign is turned
def numerical_gradient(f, x, eps=1e-6):
    x = np.array(x, dtype=np.float64)
    g = np.zeros_like(x)
    for i in np.ndindex(*x.shape):
        step = np.zeros_like(x)
        step[i] = eps
        g[i] = (f(x - step) - f(x + step)) / (2 * eps)
    return g
