# question: train_table
# expect: full
# why: calls the right sgd_step of the question before, which is allowed
def train_table(P, target, token_emb, lr, steps):
    B, T, C = token_emb.shape
    losses = []
    for i in range(steps):
        dout = 2 * (token_emb + P[:T] - target)
        losses.append((dout**2).sum() / 4)
        dP = np.zeros_like(P)
        dP[:T] = dout.sum(axis=0)
        P = sgd_step(P, dP, lr)
    return P.copy(), losses
