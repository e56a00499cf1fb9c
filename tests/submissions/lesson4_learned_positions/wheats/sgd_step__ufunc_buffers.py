# question: sgd_step
# expect: full
# why: ufuncs write into buffers of their own
def sgd_step(P, dP, lr):
    step = np.empty_like(P)
    np.multiply(dP, -lr, out=step)
    np.add(step, P, out=step)
    return step
