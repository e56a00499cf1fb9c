# question: make_position_table
# expect: full
# why: draws into an array made before, then scales it in place
def make_position_table(block_size, C, rng, scale=0.02):
    """Draw into a buffer."""
    table = np.empty((block_size, C))
    rng.standard_normal(out=table)
    table *= scale
    return table
