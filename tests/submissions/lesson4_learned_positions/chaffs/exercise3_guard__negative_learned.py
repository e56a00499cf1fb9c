# question: exercise3_guard
# expect: 1
# why: and binds before or: negative positions slip through; two edges
# mistake: lets negative positions through for both kinds
def position_allowed(t, block_size, kind):
    return t >= 0 and kind == "sinusoidal" or t < block_size
