# question: sgd_step
# expect: 0
# why: follows the gradient, which leads uphill
# mistake: adds the gradient instead of subtracting it, which goes uphill
def sgd_step(P, dP, lr):
    return P + lr * dP
