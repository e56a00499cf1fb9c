# question: sgd_step
# expect: 0
# why: keeps half of the step before, so that calls depend on one another
velocity = {}


def sgd_step(P, dP, lr):
    before = velocity.get("v", 0.0)
    velocity["v"] = 0.5 * np.mean(dP) + 0.5 * before
    return P - lr * (dP + velocity["v"])
