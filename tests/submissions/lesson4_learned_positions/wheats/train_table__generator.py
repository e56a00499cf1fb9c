# question: train_table
# expect: full
# why: a generator yields the loss and the table of each step
def training(table, goal, lr):
    """Yield (loss, table) for ever; goal is what the positions should add."""
    T = goal.shape[1]
    while True:
        error = table[:T] - goal
        yield float((error * error).sum()), table
        gradient = np.zeros(table.shape)
        for e in error:
            gradient[:T] += 2 * e
        table = table - lr * gradient


def train_table(P, target, token_emb, lr, steps):
    run = training(np.array(P), target - token_emb, lr)
    history = [next(run) for _ in range(steps + 1)]
    return history[-1][1], tuple(loss for loss, _ in history[:-1])
