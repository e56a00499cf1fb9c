# question: train_table
# expect: 0
# why: averages the gradients of the sequences
# mistake: takes the mean over the batch instead of the sum
def train_table(P, target, token_emb, lr, steps):
    T = token_emb.shape[1]
    trained = P.copy()
    losses = []
    for _ in range(steps):
        dout = 2 * (token_emb + trained[:T] - target)
        losses.append(np.sum(dout**2) / 4)
        trained[:T] -= lr * dout.mean(axis=0)
    return trained, losses
