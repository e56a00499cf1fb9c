# question: train_table
# expect: 0
# why: never copies P, so the table of the caller is trained
# mistake: changes the P that was passed in, and returns it
def train_table(P, target, token_emb, lr, steps):
    T = token_emb.shape[1]
    losses = []
    for _ in range(steps):
        diff = token_emb + P[:T] - target
        losses.append(np.sum(diff**2))
        P[:T] -= lr * 2 * diff.sum(axis=0)
    return P, losses
