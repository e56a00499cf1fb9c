# question: numerical_gradient
# expect: 2
# why: zeros_like and copies keep the type of x, where slopes and steps are cut; one edge
# mistake: moves the entries and keeps the gradient in x's own type
def numerical_gradient(f, x, eps=1e-6):
    grad = np.zeros_like(x)
    for i in np.ndindex(x.shape):
        old = x[i]
        x[i] = old + eps
        up = f(x)
        x[i] = old - eps
        down = f(x)
        x[i] = old
        grad[i] = (up - down) / (2 * eps)
    return grad
