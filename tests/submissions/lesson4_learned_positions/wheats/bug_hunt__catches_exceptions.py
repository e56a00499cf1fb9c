# question: bug_hunt
# expect: full
# why: lets a wrong shape fail and catches it
import numpy


class Verdicts(dict):
    """A dict that prints itself one name per line."""

    def __repr__(self):
        return "\n".join(f"{name}: {'innocent' if ok else 'guilty'}" for name, ok in self.items())


def hunt(candidates, P, dout, numerical_gradient, max_relative_error):
    def loss(table):
        return float((table[: dout.shape[1]] * dout).sum())

    measured = numerical_gradient(loss, P)
    verdicts = Verdicts()
    for name in candidates:
        try:
            dP = candidates[name](dout.copy(), P.shape[0])
            assert dP.shape == measured.shape, "shape"
            verdicts[name] = max_relative_error(dP, measured) < 1e-6
        except (AssertionError, ValueError, IndexError) as error:
            print(name, "failed:", error)
            verdicts[name] = False
    return verdicts


hunt(suspects, P, dout, numerical_gradient, max_relative_error)
