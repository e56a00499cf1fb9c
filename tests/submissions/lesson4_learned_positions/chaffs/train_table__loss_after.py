# question: train_table
# expect: 0
# why: measures the loss when the step has been made
# mistake: keeps the loss after each step instead of before it
def train_table(P, target, token_emb, lr, steps):
    T = token_emb.shape[1]
    trained = P.copy()
    losses = []
    for _ in range(steps):
        diff = token_emb + trained[:T] - target
        trained[:T] -= 2 * lr * diff.sum(0)
        losses.append(np.sum((token_emb + trained[:T] - target) ** 2))
    return trained, losses
