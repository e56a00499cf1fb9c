# question: bug_hunt
# expect: 0
# why: looks at the shapes and never at the numbers
# mistake: calls every candidate right
def hunt(candidates, P, dout, numerical_gradient, max_relative_error):
    verdicts = {}
    for name, backward in candidates.items():
        dP = backward(dout, len(P))
        verdicts[name] = dP.shape == P.shape
    return verdicts
