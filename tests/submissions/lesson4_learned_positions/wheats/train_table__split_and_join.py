# question: train_table
# expect: full
# why: trains the rows in use alone and joins them with the rest
def train_table(P, target, token_emb, lr, steps):
    used, rest = np.split(P, [token_emb.shape[1]])
    wanted = target - token_emb
    losses = []
    while len(losses) < steps:
        miss = used - wanted  # (B, T, C)
        losses.append(np.linalg.norm(miss.ravel()) ** 2)
        used = used - lr * np.einsum("btc->tc", 2 * miss)
    print("final loss", losses[-1] if losses else "unknown")
    return [np.concatenate([used, rest]), np.array(losses)]
