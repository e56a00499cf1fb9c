# question: numerical_gradient
# expect: 0
# why: works on a copy, so x is safe, but entries moved earlier stay moved
# mistake: does not put an entry back before it moves the next
def numerical_gradient(f, x, eps=1e-6):
    work = np.array(x, dtype=np.float64)
    grad = np.zeros(work.shape)
    for i in np.ndindex(work.shape):
        work[i] += eps
        up = f(work)
        work[i] -= 2 * eps
        grad[i] = (up - f(work)) / (2 * eps)
    return grad
