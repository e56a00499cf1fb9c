# question: parameter_count
# expect: 0
# why: measures the notebook's own table P
# mistake: counts the notebook's own table, whatever sizes are handed in
def parameter_count(block_size, C):
    return P.size
