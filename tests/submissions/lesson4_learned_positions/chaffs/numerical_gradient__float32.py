# question: numerical_gradient
# expect: 0
# why: float32 swallows a step of 1e-6
# mistake: works in float32
def numerical_gradient(f, x, eps=1e-6):
    g = np.zeros(x.shape)
    for i in np.ndindex(*x.shape):
        up = x.astype("float32")
        down = x.astype("float32")
        up[i] += eps
        down[i] -= eps
        g[i] = (f(up) - f(down)) / (2 * eps)
    return g
