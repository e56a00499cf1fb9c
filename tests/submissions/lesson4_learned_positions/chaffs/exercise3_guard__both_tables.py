# question: exercise3_guard
# expect: 0
# why: refuses the sinusoid as if it had a last row too
# mistake: treats both kinds as a table
def position_allowed(t, block_size, kind):
    return 0 <= t < block_size
