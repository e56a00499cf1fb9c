# question: numerical_gradient
# expect: 2
# why: x.copy() keeps integers, where a small step is lost; one edge
# mistake: moves the entries in x's own type, where a small step is lost
def numerical_gradient(f, x, eps=1e-6):
    work = x.copy()
    grad = np.zeros(work.shape)
    for i in np.ndindex(work.shape):
        old = work[i]
        work[i] = old + eps
        up = f(work)
        work[i] = old - eps
        down = f(work)
        work[i] = old
        grad[i] = (up - down) / (2 * eps)
    return grad
