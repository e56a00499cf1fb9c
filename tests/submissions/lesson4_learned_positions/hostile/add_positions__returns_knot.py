# question: add_positions
# expect: 0
# why: a list that holds itself, and one that is nested ten thousand deep
def add_positions(token_emb, P):
    knot = []
    knot.append(knot)
    deep = []
    for _ in range(10_000):
        deep = [deep]
    return knot if len(token_emb) % 2 else deep
