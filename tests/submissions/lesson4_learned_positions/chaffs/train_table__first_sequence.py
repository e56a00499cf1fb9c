# question: train_table
# expect: 0
# why: listens to sequence 0 alone
# mistake: uses only the first sequence in the gradient
def train_table(P, target, token_emb, lr, steps):
    T = token_emb.shape[1]
    trained = P.copy()
    losses = []
    for _ in range(steps):
        diff = token_emb + trained[:T] - target
        losses.append(np.sum(diff**2))
        trained[:T] -= lr * 2 * diff[0]
    return trained, losses
