# question: train_table
# expect: 0
# why: a loss before the first step and one after each
# mistake: keeps one more loss at the end, after the last step
def loss_now(table, target, token_emb):
    return np.sum((token_emb + table[: token_emb.shape[1]] - target) ** 2)


def train_table(P, target, token_emb, lr, steps):
    T = token_emb.shape[1]
    trained = P.copy()
    losses = [loss_now(trained, target, token_emb)]
    for _ in range(steps):
        diff = token_emb + trained[:T] - target
        trained[:T] -= 2 * lr * diff.sum(0)
        losses.append(loss_now(trained, target, token_emb))
    return trained, losses
