# question: sgd_step
# expect: full
# why: an optimizer object with a state, as libraries have it
class SGD:
    """Keeps the rate and counts its steps."""

    def __init__(self, lr):
        self.lr, self.count = lr, 0

    def __call__(self, weights, gradient):
        self.count += 1
        new = weights.copy()
        new -= self.lr * gradient
        return new


sgd_step = lambda P, dP, lr: SGD(lr)(P, dP)
