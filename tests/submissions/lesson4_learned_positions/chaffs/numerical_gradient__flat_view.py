# question: numerical_gradient
# expect: 2.5
# why: reshape(-1) gives a view of ordinary arrays, but a copy of a transposed one; one edge
# mistake: moves x through a flat copy, where reshape or ravel cannot give a view
def numerical_gradient(f, x, eps=1e-6):
    if x.dtype != np.float64:
        x = x.astype(np.float64)
    flat = x.reshape(-1)
    grad = np.zeros(flat.size)
    for k in range(flat.size):
        old = flat[k]
        flat[k] = old + eps
        up = f(x)
        flat[k] = old - eps
        down = f(x)
        flat[k] = old
        grad[k] = (up - down) / (2 * eps)
    return grad.reshape(x.shape)
