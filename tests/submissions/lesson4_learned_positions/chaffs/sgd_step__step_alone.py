# question: sgd_step
# expect: 0
# why: returns what has to be added, not the new weights
# mistake: returns the change alone, without P
def sgd_step(P, dP, lr):
    step = -lr * dP
    return step
