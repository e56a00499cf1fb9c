# question: numerical_gradient
# expect: 0
# why: the two points are 2 * eps apart, so every slope is twice too large
# mistake: divides by eps, though the two points are 2 * eps apart
def numerical_gradient(f, x, eps=1e-6):
    x = np.array(x, dtype=np.float64)
    g = np.zeros_like(x)
    for i in np.ndindex(*x.shape):
        old = x[i]
        x[i] = old + eps
        plus = f(x)
        x[i] = old - eps
        minus = f(x)
        x[i] = old
        g[i] = (plus - minus) / eps
    return g
