# question: sgd_step
# expect: 0
# why: weight decay, which nobody asked for
# mistake: adds weight decay: P shrinks as well
def sgd_step(P, dP, lr):
    return (1 - lr) * P - lr * dP
