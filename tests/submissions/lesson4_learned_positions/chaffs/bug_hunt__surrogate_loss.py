# question: bug_hunt
# expect: 0
# why: measures the loss of the notebook's own batch in place of the dout handed in
# mistake: uses surrogate_loss, the loss of the notebook's own token_emb and dout
def hunt(candidates, P, dout, numerical_gradient, max_relative_error):
    measured = numerical_gradient(surrogate_loss, P)
    verdicts = {}
    for name, backward in candidates.items():
        dP = backward(dout, len(P))
        verdicts[name] = bool(dP.shape == P.shape and max_relative_error(dP, measured) < 1e-6)
    return verdicts
