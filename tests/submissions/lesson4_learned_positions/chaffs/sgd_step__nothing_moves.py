# question: sgd_step
# expect: 0.5
# why: spares the copy if nothing moves; both edges
# mistake: returns P itself if nothing moves
def sgd_step(P, dP, lr):
    change = lr * dP
    if not np.any(change):
        return P
    return P - change
