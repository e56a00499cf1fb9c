# question: train_table
# expect: 0
# why: shrinks all rows in each step
# mistake: adds weight decay, so that rows past T move too
def train_table(P, target, token_emb, lr, steps):
    T = token_emb.shape[1]
    trained = P.copy()
    losses = []
    for _ in range(steps):
        diff = token_emb + trained[:T] - target
        losses.append(np.sum(diff**2))
        dP = np.zeros_like(trained)
        dP[:T] = 2 * diff.sum(axis=0)
        trained -= lr * (dP + trained)
    return trained, losses
