# question: exercise3_guard
# expect: 0
# why: answers in words
# mistake: returns words in place of True and False
def position_allowed(t, block_size, kind):
    return "allowed" if t >= 0 and (kind == "sinusoidal" or t < block_size) else "refused"
