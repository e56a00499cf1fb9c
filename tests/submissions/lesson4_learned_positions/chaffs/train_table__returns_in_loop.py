# question: train_table
# expect: 0
# why: the return is indented too far, so there is one step
# mistake: makes one step only: it returns from inside the loop, or has none
def train_table(P, target, token_emb, lr, steps):
    T = token_emb.shape[1]
    trained, losses = P.copy(), []
    for _ in range(steps):
        diff = token_emb + trained[:T] - target
        losses.append(np.sum(diff**2))
        trained[:T] -= lr * 2 * diff.sum(axis=0)
        return trained, losses
    return trained, losses
