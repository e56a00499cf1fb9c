# question: bug_hunt
# expect: 0
# why: a tolerance of one percent accepts an entry that is off
# mistake: has a tolerance so large that small errors pass
def hunt(candidates, P, dout, numerical_gradient, max_relative_error):
    T = dout.shape[1]
    measured = numerical_gradient(lambda p: np.sum(p[:T] * dout), P)
    return {
        name: backward(dout, len(P)).shape == P.shape
        and bool(max_relative_error(backward(dout, len(P)), measured) < 0.01)
        for name, backward in candidates.items()
    }
