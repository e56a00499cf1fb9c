# question: numerical_gradient
# expect: 0
# why: steps to the other side only
# mistake: steps backward only instead of to both sides
def numerical_gradient(f, x, eps=1e-6):
    grad = np.zeros(x.shape)
    for i in np.ndindex(x.shape):
        lower = x.astype(np.float64)
        lower[i] -= eps
        grad[i] = (f(x.astype(np.float64)) - f(lower)) / eps
    return grad
