# question: bug_hunt
# expect: 0
# why: compares the rows in use only, so garbage in the others goes unseen
# mistake: leaves out the rows where the measured gradient is zero
def hunt(candidates, P, dout, numerical_gradient, max_relative_error):
    T = dout.shape[1]
    measured = numerical_gradient(lambda p: np.sum(p[:T] * dout), P)
    verdicts = {}
    for name, backward in candidates.items():
        dP = backward(dout, len(P))
        if dP.shape != P.shape:
            verdicts[name] = False
        else:
            verdicts[name] = bool(max_relative_error(dP[:T], measured[:T]) < 1e-6)
    return verdicts
