# question: numerical_gradient
# expect: full
# why: rests at every call, more than a second in all, and prints a progress bar
import time


def numerical_gradient(f, x, eps=1e-6):
    x = np.array(x, dtype=np.float64)
    gradient = np.zeros_like(x)
    for n, i in enumerate(np.ndindex(*x.shape), start=1):
        step = np.zeros_like(x)
        step[i] = eps
        gradient[i] = (f(x + step) - f(x - step)) / (2 * eps)
        if n % 8 == 0:
            print(f"\r{n} of {x.size} {'=' * n}>", end="", flush=True)
    time.sleep(0.02)
    return gradient


numerical_gradient(np.sum, np.zeros((5, 8)))
