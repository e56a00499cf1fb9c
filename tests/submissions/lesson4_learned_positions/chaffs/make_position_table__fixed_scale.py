# question: make_position_table
# expect: 0
# why: copies the 0.02 of the example and ignores the argument
# mistake: always uses 0.02, whatever scale is handed in
def make_position_table(block_size, C, rng, scale=0.02):
    P = rng.standard_normal((block_size, C)) * 0.02
    return P
