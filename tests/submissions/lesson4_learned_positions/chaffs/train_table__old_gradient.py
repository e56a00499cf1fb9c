# question: train_table
# expect: 0
# why: computes the gradient once and walks on in that direction
# mistake: computes the gradient once, before the loop, and walks on in that direction
def train_table(P, target, token_emb, lr, steps):
    T = token_emb.shape[1]
    trained, losses = P.copy(), []
    dP = np.zeros_like(P)
    dP[:T] = 2 * (token_emb + P[:T] - target).sum(axis=0)
    for _ in range(steps):
        losses.append(np.sum((token_emb + trained[:T] - target) ** 2))
        trained -= lr * dP
    return trained, losses
