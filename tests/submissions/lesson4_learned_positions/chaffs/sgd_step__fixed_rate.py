# question: sgd_step
# expect: 0
# why: uses the rate of the hand-sized example
# mistake: uses a rate of its own, 0.1
def sgd_step(P, dP, lr=0.1):
    out = P - 0.1 * dP
    return out
