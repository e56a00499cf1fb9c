# question: train_table
# expect: 0
# why: the pair is in the wrong order
# mistake: returns the two results in the wrong order
def train_table(P, target, token_emb, lr, steps):
    T = token_emb.shape[1]
    trained = P.copy()
    losses = []
    for _ in range(steps):
        diff = token_emb + trained[:T] - target
        losses.append(np.sum(diff**2))
        trained[:T] -= lr * 2 * diff.sum(axis=0)
    return losses, trained
