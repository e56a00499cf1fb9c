# question: sgd_step
# expect: 0.75
# why: spares the copy if the rate is 0; one edge
# mistake: returns P itself if the rate is 0
def sgd_step(P, dP, lr):
    if lr == 0:
        return P
    return P - lr * dP
