# question: exercise3_guard
# expect: 0
# why: returns True or nothing at all
# mistake: returns True or nothing, because the False is missing
def position_allowed(t, block_size, kind):
    if kind == "sinusoidal" and t >= 0:
        return True
    if kind == "learned" and 0 <= t < block_size:
        return True
