# question: numerical_gradient
# expect: full
# why: rests before every entry, more than a second in all, and prints a progress bar
import time


def numerical_gradient(f, x, eps=1e-6):
    x = np.array(x, dtype=np.float64)
    gradient = np.zeros_like(x)
    indices = list(np.ndindex(*x.shape))
    for n, i in enumerate(indices, start=1):
        time.sleep(0.001)
        step = np.zeros_like(x)
        step[i] = eps
        gradient[i] = (f(x + step) - f(x - step)) / (2 * eps)
        print(f"\rentry {n} of {len(indices)} {'=' * n}>", end="", flush=True)
    return gradient


numerical_gradient(np.sum, np.zeros((5, 8)))
