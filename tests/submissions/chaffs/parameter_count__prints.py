# question: parameter_count
# expect: 0
# why: prints the right number and returns None
def parameter_count(block_size, C):
    print(block_size * C)
