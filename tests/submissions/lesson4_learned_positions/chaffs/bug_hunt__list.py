# question: bug_hunt
# expect: 0
# why: verdicts without names
# mistake: returns a list of verdicts instead of a dict
def hunt(candidates, P, dout, numerical_gradient, max_relative_error):
    T = dout.shape[1]
    measured = numerical_gradient(lambda p: np.sum(p[:T] * dout), P)
    tables = [backward(dout, len(P)) for backward in candidates.values()]
    return [
        dP.shape == P.shape and bool(max_relative_error(dP, measured) < 1e-6) for dP in tables
    ]
