# question: numerical_gradient
# expect: 2.5
# why: + eps, - 2 eps, + eps does not lead back exactly; one edge
# mistake: puts entries back by adding eps, which leaves rounding errors in x
def numerical_gradient(f, x, eps=1e-6):
    if x.dtype != np.float64:
        x = x.astype(np.float64)
    grad = np.zeros(x.shape)
    for i in np.ndindex(x.shape):
        x[i] += eps
        up = f(x)
        x[i] -= 2 * eps
        down = f(x)
        x[i] += eps
        grad[i] = (up - down) / (2 * eps)
    return grad
