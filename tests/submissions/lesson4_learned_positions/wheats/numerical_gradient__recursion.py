# question: numerical_gradient
# expect: full
# why: walks down the axes by recursion
def numerical_gradient(f, x, eps=1e-6):
    base = np.array(x, dtype=np.float64)

    def slopes(index):
        if len(index) == base.ndim:
            up, down = base.copy(), base.copy()
            up[index] += eps
            down[index] -= eps
            return (f(up) - f(down)) / eps * 0.5
        return [slopes((*index, k)) for k in range(base.shape[len(index)])]

    return np.array(slopes(()))
