# question: train_table
# expect: 0
# why: makes a step after each sequence, so the second sees a table that moved
# mistake: makes a step for each sequence instead of one for the batch
def train_table(P, target, token_emb, lr, steps):
    T = token_emb.shape[1]
    trained = P.copy()
    losses = []
    for _ in range(steps):
        diff = token_emb + trained[:T] - target
        losses.append(np.sum(diff**2))
        for b in range(len(token_emb)):
            trained[:T] -= lr * 2 * (token_emb[b] + trained[:T] - target[b])
    return trained, losses
