# question: exercise3_guard
# expect: 0
# why: a non-empty string is true, so the condition always holds
# mistake: admits every position
def position_allowed(t, block_size, kind):
    if t < block_size or kind == "sinusoidal" or "Sinusoidal":
        return True
    return False
