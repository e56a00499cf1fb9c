# question: exercise3_guard
# expect: 0
# why: the table of the notebook has 8 rows, others have more or fewer
# mistake: uses 8 for block_size, whatever its argument is
def position_allowed(t, block_size, kind):
    return t in range(len(P)) if kind == "learned" else t >= 0
