# question: sgd_step
# expect: 0
# why: takes the whole gradient as the step
# mistake: leaves out the learning rate
def sgd_step(P, dP, lr):
    new_P = P.copy()
    new_P -= dP
    return new_P
