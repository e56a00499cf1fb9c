# question: parameter_count
# expect: 0
# why: the two sizes are not the total
# mistake: returns the shape instead of one number
def parameter_count(block_size, C):
    return block_size, C
