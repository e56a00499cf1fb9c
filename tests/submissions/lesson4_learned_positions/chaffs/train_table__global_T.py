# question: train_table
# expect: 0
# why: uses T of the setup cell, so it fits the notebook only
# mistake: takes T from the notebook, always 5, instead of from token_emb
def train_table(P, target, token_emb, lr, steps):
    trained = P.copy()
    losses = []
    for _ in range(steps):
        diff = token_emb + trained[:T] - target
        losses.append(np.sum(diff**2))
        trained[:T] -= lr * 2 * diff.sum(axis=0)
    return trained, losses
