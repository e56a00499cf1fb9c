# question: bug_hunt
# expect: 0
# why: the mean in place of the sum makes every right gradient look wrong
# mistake: takes the mean as loss instead of the sum
def hunt(candidates, P, dout, numerical_gradient, max_relative_error):
    def loss(table):
        return np.mean(table[: dout.shape[1]] * dout)

    measured = numerical_gradient(loss, P)
    verdicts = {}
    for name, backward in candidates.items():
        dP = backward(dout, len(P))
        verdicts[name] = bool(dP.shape == P.shape and max_relative_error(dP, measured) < 1e-6)
    return verdicts
