# question: bug_hunt
# expect: full
# why: np.vdot is the same loss for real tables (it conjugates complex ones)
def hunt(candidates, P, dout, numerical_gradient, max_relative_error):
    T = dout.shape[1]
    summed = dout.sum(axis=0)
    measured = numerical_gradient(lambda table: np.vdot(table[:T], summed), P)
    verdicts = {}
    for name, backward in candidates.items():
        dP = backward(dout, P.shape[0])
        verdicts[name] = bool(dP.shape == P.shape and max_relative_error(dP, measured) < 1e-6)
    return verdicts
