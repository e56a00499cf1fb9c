# question: numerical_gradient
# expect: full
# why: %%time runs the cell as usual and prints how long it took
%%time
def numerical_gradient(f, x, eps=1e-6):
    flat = np.array(x, dtype=np.float64).ravel()
    slopes = np.zeros(flat.size)
    for k in range(flat.size):
        old = flat[k]
        flat[k] = old + eps
        slopes[k] += f(flat.reshape(x.shape))
        flat[k] = old - eps
        slopes[k] -= f(flat.reshape(x.shape))
        flat[k] = old
    return slopes.reshape(x.shape) / (2 * eps)
