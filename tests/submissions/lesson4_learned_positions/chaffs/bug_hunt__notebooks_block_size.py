# question: bug_hunt
# expect: 0
# why: asks for tables with the 8 rows of the notebook's own table
# mistake: hands the notebook's block_size, 8, to the candidates instead of the rows of P
def hunt(candidates, P, dout, numerical_gradient, max_relative_error):
    measured = numerical_gradient(lambda p: np.sum(p[: dout.shape[1]] * dout), P)
    verdicts = {}
    for name, backward in candidates.items():
        dP = backward(dout, block_size)
        verdicts[name] = dP.shape == P.shape and bool(max_relative_error(dP, measured) < 1e-6)
    return verdicts
