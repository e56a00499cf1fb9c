# question: numerical_gradient
# expect: 0
# why: loops over the first axis only, so a whole row moves together
# mistake: moves a whole row at once
def numerical_gradient(f, x, eps=1e-6):
    x = np.array(x, dtype=np.float64)
    grad = np.zeros(x.shape)
    for i in range(len(x)):
        up, down = x.copy(), x.copy()
        up[i] += eps
        down[i] -= eps
        grad[i] = (f(up) - f(down)) / (2 * eps)
    return grad
