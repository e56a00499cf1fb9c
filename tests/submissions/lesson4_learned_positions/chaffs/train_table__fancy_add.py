# question: train_table
# expect: 0
# why: -= with repeated indices keeps the last sequence only
# mistake: uses only the last sequence: it overwrites where it should add
def train_table(P, target, token_emb, lr, steps):
    T = token_emb.shape[1]
    trained = P.copy()
    losses = []
    for _ in range(steps):
        diff = token_emb + trained[:T] - target
        losses.append(np.sum(diff**2))
        rows = np.broadcast_to(np.arange(T), diff.shape[:2])
        dP = np.zeros_like(trained)
        dP[rows] += 2 * diff
        trained -= lr * dP
    return trained, losses
