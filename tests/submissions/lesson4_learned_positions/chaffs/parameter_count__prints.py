# question: parameter_count
# expect: 0
# why: prints the right number and returns None
# mistake: returns nothing: it prints the number, or the return is missing
def parameter_count(block_size, C):
    print(block_size * C)
