# question: parameter_count
# expect: 0
# why: one parameter per position would be one number, not one vector
# mistake: counts the rows only
def parameter_count(block_size, C):
    table = np.zeros((block_size, C))
    return len(table)
