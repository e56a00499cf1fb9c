# question: numerical_gradient
# expect: 0
# why: the difference of two losses is not yet a slope
# mistake: forgets to divide by the distance of the two points
def numerical_gradient(f, x, eps=1e-6):
    x = np.array(x, dtype=np.float64)
    g = np.zeros_like(x)
    for i in np.ndindex(*x.shape):
        step = np.zeros_like(x)
        step[i] = eps
        g[i] = f(x + step) - f(x - step)
    return g
