# question: parameter_count
# expect: 0
# why: only T rows are used by this batch, but all of them are parameters
# mistake: counts only the T rows that the batch uses
def parameter_count(block_size, C):
    # only T positions get a gradient
    return T * C
