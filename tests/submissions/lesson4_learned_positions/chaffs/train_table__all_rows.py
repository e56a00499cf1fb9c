# question: train_table
# expect: 0
# why: sums over batch and positions, and moves the whole table by that
# mistake: moves all rows by the sum over all positions
def train_table(P, target, token_emb, lr, steps):
    T = token_emb.shape[1]
    trained = P.copy()
    losses = []
    for _ in range(steps):
        diff = token_emb + trained[:T] - target
        losses.append(np.sum(diff**2))
        trained -= lr * 2 * diff.sum(axis=(0, 1))
    return trained, losses
