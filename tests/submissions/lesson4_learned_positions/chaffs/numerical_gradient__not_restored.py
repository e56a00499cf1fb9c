# question: numerical_gradient
# expect: 0
# why: moves x up and down and leaves it there
# mistake: changes x and does not put the old values back
def numerical_gradient(f, x, eps=1e-6):
    grad = np.zeros(x.shape)
    for i in np.ndindex(x.shape):
        x[i] += eps
        loss_up = f(x)
        x[i] -= 2 * eps
        loss_down = f(x)
        grad[i] = (loss_up - loss_down) / (2 * eps)
    return grad
