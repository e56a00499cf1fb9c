# question: bug_hunt
# expect: full
# why: verdicts are NumPy truth values in an ordered dict
from collections import OrderedDict


def hunt(candidates, P, dout, numerical_gradient, max_relative_error):
    T = dout.shape[1]
    summed = dout.sum(axis=0)
    measured = numerical_gradient(f=lambda p: np.dot(p[:T].ravel(), summed.ravel()), x=P.copy(), eps=1e-5)
    found = OrderedDict()
    for name, backward in sorted(candidates.items()):
        dP = np.asarray(backward(dout, len(P)))
        same_shape = np.array_equal(dP.shape, P.shape)
        found[name] = np.bool_(same_shape and max_relative_error(a=dP, b=measured) < 1e-6)
    return found
