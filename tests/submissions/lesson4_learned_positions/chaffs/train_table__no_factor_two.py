# question: train_table
# expect: 0
# why: forgets the 2 of the slope of a square
# mistake: leaves out the factor 2 of the gradient
def train_table(P, target, token_emb, lr, steps):
    T = token_emb.shape[1]
    trained = P.copy()
    losses = []
    for _ in range(steps):
        diff = token_emb + trained[:T] - target
        losses.append(np.sum(np.square(diff)))
        dP = np.sum(diff, axis=0)
        trained[:T] = trained[:T] - lr * dP
    return trained, losses
