# question: add_positions
# expect: full
# why: splits the batch in halves until one sequence is left
def add_positions(token_emb, P):
    n = len(token_emb)
    if n == 1:
        rows = [vector + row for vector, row in zip(token_emb[0], P, strict=False)]
        return np.array(rows)[np.newaxis]
    return np.concatenate([add_positions(token_emb[: n // 2], P), add_positions(token_emb[n // 2 :], P)])
