# question: numerical_gradient
# expect: 0
# why: moves all entries together and so measures the sum of the slopes
# mistake: moves all entries at once
def numerical_gradient(f, x, eps=1e-6):
    x = x.astype(np.float64)
    return np.ones(x.shape) * (f(x + eps) - f(x - eps)) / (2 * eps)
