# question: train_table
# expect: 0
# why: dP is made before the loop and goes on growing
# mistake: adds each gradient to those of the steps before
def train_table(P, target, token_emb, lr, steps):
    T = token_emb.shape[1]
    trained, dP = P.copy(), np.zeros_like(P)
    losses = []
    for _ in range(steps):
        diff = token_emb + trained[:T] - target
        losses.append(np.sum(diff**2))
        dP[:T] += 2 * diff.sum(axis=0)
        trained -= lr * dP
    return trained, losses
