# question: sgd_step
# expect: 0
# why: -= works on the array of the caller
# mistake: changes P in place and returns it
def sgd_step(P, dP, lr):
    P -= lr * dP
    return P
