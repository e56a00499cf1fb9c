# question: exercise3_guard
# expect: 1
# why: an assert stops negative positions where False is the answer; two edges
# mistake: fails an assert for negative positions where it should return False
def position_allowed(t, block_size, kind):
    assert t >= 0, "positions start at 0"
    return kind == "sinusoidal" or t < block_size
