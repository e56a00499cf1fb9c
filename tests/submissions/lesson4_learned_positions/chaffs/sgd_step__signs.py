# question: sgd_step
# expect: 0
# why: takes the sign of each slope
# mistake: moves by the sign of the gradient, whatever its size
def sgd_step(P, dP, lr):
    return np.where(dP > 0, P - lr, np.where(dP < 0, P + lr, P))
