# question: numerical_gradient
# expect: 0
# why: gives f arrays of long doubles, not float64, that say that they are float64
class Long(np.ndarray):
    @property
    def dtype(self):
        return np.dtype(np.float64)


def numerical_gradient(f, x, eps=1e-6):
    work = np.array(x, dtype=np.longdouble)
    gradient = np.zeros(x.shape)
    for i in np.ndindex(*x.shape):
        old = work[i]
        work[i] = old + eps
        above = float(f(work.view(Long)))
        work[i] = old - eps
        gradient[i] = (above - float(f(work.view(Long)))) / (2 * eps)
        work[i] = old
    return gradient
