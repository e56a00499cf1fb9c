# question: exercise3_guard
# expect: 1.5
# why: the sinusoid is admitted before t is looked at; one edge
# mistake: lets negative positions through for the sinusoid
def position_allowed(t, block_size, kind):
    return True if kind == "sinusoidal" else 0 <= t < block_size
