# question: make_position_table
# expect: 0
# why: computes the fixed table of lesson 3 in place of a random one to be learned
# mistake: computes sines and cosines as in lesson 3
def make_position_table(block_size, C, rng, scale=0.02):
    position = np.arange(block_size).reshape(-1, 1)
    pair = np.arange(C) // 2
    angle = position / np.power(10000, 2 * pair / C)
    table = np.empty((block_size, C))
    table[:, 0::2] = np.sin(angle[:, 0::2])
    table[:, 1::2] = np.cos(angle[:, 1::2])
    return table
