# question: bug_hunt
# expect: 0
# why: 1 and 0 are numbers, the contract asks for True and False
# mistake: returns 1 and 0 in place of True and False
def hunt(candidates, P, dout, numerical_gradient, max_relative_error):
    T = dout.shape[1]
    measured = numerical_gradient(lambda p: np.sum(p[:T] * dout), P)
    verdicts = {}
    for name, backward in candidates.items():
        dP = backward(dout, len(P))
        verdicts[name] = 0
        if dP.shape == P.shape and max_relative_error(dP, measured) < 1e-6:
            verdicts[name] = 1
    return verdicts
