# question: bug_hunt
# expect: 0
# why: hunts the three suspects of the notebook, not the candidates handed in
# mistake: judges the notebook's suspects, whatever candidates are handed in
def hunt(candidates, P, dout, numerical_gradient, max_relative_error):
    T = dout.shape[1]
    measured = numerical_gradient(lambda p: np.sum(p[:T] * dout), P)
    verdicts = {}
    for name in suspects:
        dP = suspects[name](dout, len(P))
        verdicts[name] = bool(dP.shape == P.shape and max_relative_error(dP, measured) < 1e-6)
    return verdicts
