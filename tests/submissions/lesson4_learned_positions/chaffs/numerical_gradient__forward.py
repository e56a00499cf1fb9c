# question: numerical_gradient
# expect: 0
# why: steps to one side only, which a bent curve punishes
# mistake: steps forward only instead of to both sides
def numerical_gradient(f, x, eps=1e-6):
    x = np.array(x, dtype=float)
    grad = np.zeros(x.shape)
    base = f(x)
    for i in np.ndindex(x.shape):
        x[i] += eps
        grad[i] = (f(x) - base) / eps
        x[i] -= eps
    return grad
