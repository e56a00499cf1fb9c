# question: sgd_step
# expect: full
# why: an average of P and the point twice as far is the same point
def sgd_step(P, dP, lr):
    twice = P - 2 * lr * dP
    return np.mean([P, twice], axis=0)
