# question: make_position_table
# expect: 0
# why: forces mean and spread after the draw, so the entries are no longer independent
# mistake: makes the spread exactly scale after drawing, so that entries depend on one another
def make_position_table(block_size, C, rng, scale=0.02):
    table = rng.standard_normal((block_size, C))
    table -= table.mean()
    if table.std() > 0:
        table /= table.std()
    return table * scale
