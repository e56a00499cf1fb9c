# question: add_positions
# expect: 0
# why: an array of terabytes that takes no memory until somebody copies it
def add_positions(token_emb, P):
    return np.broadcast_to(np.float64(1), (10**6, 10**6, 4))
