# question: numerical_gradient
# expect: 0
# why: collects the slopes in a list and forgets the shape
# mistake: returns a flat array instead of one of x's shape
def numerical_gradient(f, x, eps=1e-6):
    x = np.array(x, dtype=np.float64)
    slopes = []
    for i in np.ndindex(*x.shape):
        up, down = x.copy(), x.copy()
        up[i] += eps
        down[i] -= eps
        slopes.append((f(up) - f(down)) / (2 * eps))
    return np.array(slopes)
