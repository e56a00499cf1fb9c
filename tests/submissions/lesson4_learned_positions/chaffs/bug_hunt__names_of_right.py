# question: bug_hunt
# expect: 0
# why: a list of the innocent in place of a verdict on each
# mistake: returns the names of the right ones only
def hunt(candidates, P, dout, numerical_gradient, max_relative_error):
    T = dout.shape[1]
    measured = numerical_gradient(lambda p: np.sum(p[:T] * dout), P)
    innocent = []
    for name, backward in candidates.items():
        dP = backward(dout, len(P))
        if dP.shape == P.shape and max_relative_error(dP, measured) < 1e-6:
            innocent.append(name)
    return innocent
