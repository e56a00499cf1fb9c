# question: parameter_count
# expect: 0
# why: adds a bias vector as in a linear layer; a table has none
# mistake: adds a bias of C numbers that a table does not have
def parameter_count(block_size, C):
    weights = block_size * C
    bias = C
    return weights + bias
