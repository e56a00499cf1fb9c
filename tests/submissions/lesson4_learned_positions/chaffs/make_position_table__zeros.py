# question: make_position_table
# expect: 0
# why: training would have to break the tie between equal rows, the contract asks for random values
# mistake: fills the table with zeros
def make_position_table(block_size, C, rng, scale=0.02):
    """Start from nothing; training will fill it in."""
    return np.zeros((block_size, C))
