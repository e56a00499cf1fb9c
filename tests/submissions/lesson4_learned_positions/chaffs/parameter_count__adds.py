# question: parameter_count
# expect: 0
# why: rows plus columns is not the number of entries
# mistake: adds the two sizes instead of multiplying them
def parameter_count(block_size, C):
    n_params = block_size + C
    return n_params
