# question: exercise3_guard
# expect: 0
# why: raises where a question is to be answered
# mistake: raises an error where it should return False
def position_allowed(t, block_size, kind):
    if kind == "learned" and (t < 0 or t >= block_size):
        raise IndexError(f"position {t} is not in a table of block_size {block_size}")
    return t >= 0
