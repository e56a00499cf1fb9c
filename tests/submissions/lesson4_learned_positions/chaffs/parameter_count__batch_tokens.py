# question: parameter_count
# expect: 0
# why: counts the tokens that pass through the table
# mistake: counts the tokens of the batch, B times T
def parameter_count(block_size, C):
    return B * T
