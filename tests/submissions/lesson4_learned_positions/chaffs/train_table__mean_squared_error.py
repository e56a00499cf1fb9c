# question: train_table
# expect: 0
# why: trains the usual mean squared error in place of the sum
# mistake: takes the mean of the squares, in the loss and in the gradient
def train_table(P, target, token_emb, lr, steps):
    T = token_emb.shape[1]
    trained = P.copy()
    losses = []
    for _ in range(steps):
        diff = token_emb + trained[:T] - target
        losses.append(np.mean(diff**2))
        trained[:T] -= lr * 2 * diff.sum(axis=0) / diff.size
    return trained, losses
