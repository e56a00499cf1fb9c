# question: exercise3_guard
# expect: 0
# why: position block_size has no row
# mistake: admits t = block_size for the table: off by one
def position_allowed(t, block_size, kind):
    return t >= 0 and (kind == "sinusoidal" or t <= block_size)
