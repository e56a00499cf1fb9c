# question: train_table
# expect: 0
# why: trains a copy and returns the original
# mistake: returns the P that was passed in, not the trained one
def train_table(P, target, token_emb, lr, steps):
    T = token_emb.shape[1]
    trained = P.copy()
    losses = []
    for _ in range(steps):
        diff = token_emb + trained[:T] - target
        losses.append(np.sum(diff**2))
        trained[:T] -= lr * 2 * diff.sum(axis=0)
    return P.copy(), losses
