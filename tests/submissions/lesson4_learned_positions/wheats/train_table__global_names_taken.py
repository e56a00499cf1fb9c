# question: train_table
# expect: full
# why: globals called T, P, losses and lr hold other things, the function uses its own
lr, losses, T = "fast", None, 99


def train_table(P, target, token_emb, lr, steps):
    T = len(token_emb[0])
    P, losses = P + 0.0, [0.0] * steps
    for i in range(steps):
        d = [one + P[:T] - want for one, want in zip(token_emb, target)]
        losses[i] = sum(np.sum(x * x) for x in d)
        P[:T] = P[:T] - 2 * lr * sum(d)
    return P, losses


T, P = token_emb.shape[1], P.copy()
