# question: bug_hunt
# expect: 0
# why: equal totals do not make equal tables
# mistake: compares totals instead of entries
def hunt(candidates, P, dout, numerical_gradient, max_relative_error):
    T = dout.shape[1]
    measured = numerical_gradient(lambda p: np.sum(p[:T] * dout), P)
    verdicts = {}
    for name, backward in candidates.items():
        dP = backward(dout, len(P))
        error = max_relative_error(np.sum(dP), np.sum(measured))
        verdicts[name] = bool(dP.shape == P.shape and error < 1e-6)
    return verdicts
