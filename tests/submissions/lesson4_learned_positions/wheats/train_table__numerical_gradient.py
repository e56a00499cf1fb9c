# question: train_table
# expect: full
# why: measures the gradient by whole steps, which are exact for a parabola
def loss_of(table, target, token_emb):
    out = token_emb + table[: token_emb.shape[1]]
    return np.square(out - target).sum()


def train_table(P, target, token_emb, lr, steps):
    table = P.astype(np.float64, copy=True)
    losses = np.full(steps, np.nan)
    for i in range(steps):
        losses[i] = loss_of(table, target, token_emb)
        slopes = np.zeros(table.shape)
        for at in np.ndindex(*table.shape):
            unit = np.zeros(table.shape)
            unit[at] = 1.0
            up = loss_of(table + unit, target, token_emb)
            down = loss_of(table - unit, target, token_emb)
            slopes[at] = (up - down) / 2
        slopes[token_emb.shape[1] :] = 0.0
        table -= lr * slopes
    return table, losses
