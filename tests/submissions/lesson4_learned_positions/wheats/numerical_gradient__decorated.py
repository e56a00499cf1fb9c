# question: numerical_gradient
# expect: full
# why: a decorator counts the calls of f, and a partial fixes the sign
import functools


def counted(function):
    @functools.wraps(function)
    def wrapper(f, x, eps=1e-6, **options):
        wrapper.calls = 0

        def count(a):
            wrapper.calls += 1
            return f(a)

        return function(count, x, eps, **options)

    return wrapper


def _moved(x, i, by):
    y = np.array(x, dtype=np.float64)
    y[i] += by
    return y


@counted
def numerical_gradient(f, x, eps=1e-6, *, verbose=False):
    up = functools.partial(_moved, by=eps)
    down = functools.partial(_moved, by=-eps)
    g = np.zeros(np.shape(x))
    for i in np.ndindex(g.shape):
        g[i] = (f(up(x, i)) - f(down(x, i))) / (2 * eps)
    return g
