# question: bug_hunt
# expect: 0
# why: three suspects and one innocent was a fact about the story, not about hunts
# mistake: stops at the first right one, as if there were only one
def hunt(candidates, P, dout, numerical_gradient, max_relative_error):
    T = dout.shape[1]
    measured = numerical_gradient(lambda p: np.sum(p[:T] * dout), P)
    verdicts = dict.fromkeys(candidates, False)
    for name, backward in candidates.items():
        dP = backward(dout, len(P))
        if dP.shape == P.shape and max_relative_error(dP, measured) < 1e-6:
            verdicts[name] = True
            break
    return verdicts
