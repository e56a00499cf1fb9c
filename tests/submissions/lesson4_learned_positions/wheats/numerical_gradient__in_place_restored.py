# question: numerical_gradient
# expect: full
# why: moves a float64 x itself and puts the old values back, whatever happens
def numerical_gradient(f, x, eps=1e-6):
    work = x if x.dtype == np.float64 else x.astype(np.float64)
    gradient = np.empty(x.shape)
    for i, old in np.ndenumerate(work.copy()):
        try:
            work[i] = old + eps
            up = f(work)
            work[i] = old - eps
            down = f(work)
        finally:
            work[i] = old
        gradient[i] = (up - down) / (2.0 * eps)
    return gradient
