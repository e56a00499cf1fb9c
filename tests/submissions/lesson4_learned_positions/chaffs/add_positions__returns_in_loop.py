# question: add_positions
# expect: 0
# why: returns from inside the loop after the first sequence
# mistake: returns one sequence instead of the batch
def add_positions(token_emb, P):
    for seq in token_emb:
        return seq + P[: len(seq)]
