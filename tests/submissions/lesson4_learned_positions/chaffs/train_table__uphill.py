# question: train_table
# expect: 0
# why: target minus output, but still subtracts
# mistake: adds the gradient instead of subtracting it, or takes target minus output
def train_table(P, target, token_emb, lr, steps):
    T = token_emb.shape[1]
    trained = P.copy()
    losses = []
    for _ in range(steps):
        diff = target - (token_emb + trained[:T])
        losses.append((diff**2).sum())
        trained[:T] -= lr * 2 * diff.sum(axis=0)
    return trained, losses
