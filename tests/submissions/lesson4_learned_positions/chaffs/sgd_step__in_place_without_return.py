# question: sgd_step
# expect: 0
# why: changes the weights where they are, as optimizers of libraries do
# mistake: changes P in place and returns nothing
def sgd_step(P, dP, lr):
    P -= lr * dP
