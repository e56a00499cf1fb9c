# question: bug_hunt
# expect: 1.5
# why: a dP of another shape stops the hunt with an exception; one edge
# mistake: breaks down at a dP of the wrong shape
def hunt(candidates, P, dout, numerical_gradient, max_relative_error):
    T = dout.shape[1]
    truth = numerical_gradient(lambda p: np.sum(p[:T] * dout), P)
    return {
        name: bool(max_relative_error(f(dout, P.shape[0]), truth) < 1e-6)
        for name, f in candidates.items()
    }
