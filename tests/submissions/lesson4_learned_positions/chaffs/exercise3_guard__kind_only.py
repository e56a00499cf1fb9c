# question: exercise3_guard
# expect: 0
# why: never looks at t
# mistake: looks at the kind alone, not at t
def position_allowed(t, block_size, kind):
    return kind == "sinusoidal"
