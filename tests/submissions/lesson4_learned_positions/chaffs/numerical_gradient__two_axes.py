# question: numerical_gradient
# expect: 0
# why: two nested loops fit a table and nothing else
# mistake: walks over two axes, whatever axes x has
def numerical_gradient(f, x, eps=1e-6):
    x = np.array(x, dtype=np.float64)
    grad = np.zeros(x.shape)
    rows, columns = x.shape[0], x.shape[1]
    for r in range(rows):
        for c in range(columns):
            up, down = x.copy(), x.copy()
            up[r, c] += eps
            down[r, c] -= eps
            grad[r, c] = (f(up) - f(down)) / (2 * eps)
    return grad
