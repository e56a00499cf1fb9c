# question: bug_hunt
# expect: 0
# why: says True where the error is large
# mistake: says True where the error is above the tolerance
def hunt(candidates, P, dout, numerical_gradient, max_relative_error):
    T = dout.shape[1]
    measured = numerical_gradient(lambda p: np.sum(p[:T] * dout), P)
    found = {}
    for name, backward in candidates.items():
        dP = backward(dout, P.shape[0])
        found[name] = False
        if dP.shape == P.shape:
            found[name] = bool(max_relative_error(dP, measured) > 1e-6)
    return found
