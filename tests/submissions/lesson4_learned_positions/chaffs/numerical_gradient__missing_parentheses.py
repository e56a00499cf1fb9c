# question: numerical_gradient
# expect: 0
# why: / 2 * eps multiplies by eps
# mistake: lacks the parentheses around 2 * eps
def numerical_gradient(f, x, eps=1e-6):
    x = np.array(x, dtype=np.float64)
    g = np.zeros_like(x)
    for i in np.ndindex(*x.shape):
        up, down = x.copy(), x.copy()
        up[i] += eps
        down[i] -= eps
        g[i] = (f(up) - f(down)) / 2 * eps
    return g
