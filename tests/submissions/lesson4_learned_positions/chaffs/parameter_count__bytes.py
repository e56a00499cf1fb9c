# question: parameter_count
# expect: 0
# why: memory in bytes is eight times the number of float64 entries
# mistake: counts bytes, 8 for each float64, instead of numbers
def parameter_count(block_size, C):
    return np.zeros((block_size, C)).nbytes
