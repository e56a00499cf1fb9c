# question: train_table
# expect: 2
# why: names its result inside the loop, which steps = 0 never enters; two edges
# mistake: breaks down if there are no steps
def train_table(P, target, token_emb, lr, steps):
    table = P.copy()
    T = token_emb.shape[1]
    losses = []
    for step in range(steps):
        diff = token_emb + table[:T] - target
        losses.append(np.sum(diff**2))
        table[:T] -= lr * 2 * diff.sum(axis=0)
        result = table
    return result, losses
