# question: max_relative_error
# expect: full
# why: asks Python to turn every warning into an error, and causes none
import warnings

warnings.filterwarnings("error")
np.seterr(divide="raise", invalid="raise", over="raise")


def max_relative_error(a, b, floor=1e-12):
    size = np.abs(a) + np.abs(b)
    errors = np.divide(np.abs(a - b), size, out=np.abs(a - b) / floor, where=size > floor)
    return errors.max(initial=0.0)
