# question: bug_hunt
# expect: 1.5
# why: not error > tolerance is true for NaN, the very trap of this notebook; one edge
# mistake: lets NaN pass, because it asks whether the error is not above the tolerance
def hunt(candidates, P, dout, numerical_gradient, max_relative_error):
    T = dout.shape[1]
    measured = numerical_gradient(lambda p: np.sum(p[:T] * dout), P)
    verdicts = {}
    for name, backward in candidates.items():
        dP = backward(dout, len(P))
        if dP.shape != P.shape or max_relative_error(dP, measured) > 1e-6:
            verdicts[name] = False
        else:
            verdicts[name] = True
    return verdicts
