# question: train_table
# expect: 2.5
# why: copies in the loop, so without a step P itself comes back; one edge
# mistake: returns P itself, not a copy, if there are no steps
def train_table(P, target, token_emb, lr, steps):
    T = token_emb.shape[1]
    losses = []
    for _ in range(steps):
        diff = token_emb + P[:T] - target
        losses.append(np.sum(diff**2))
        new = P.copy()
        new[:T] -= lr * 2 * diff.sum(axis=0)
        P = new
    return P, losses
