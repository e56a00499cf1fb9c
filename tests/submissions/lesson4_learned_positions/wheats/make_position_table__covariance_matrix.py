# question: make_position_table
# expect: full
# why: a multivariate normal with a diagonal covariance has independent entries
def make_position_table(block_size, C, rng, scale=0.02):
    covariance = np.eye(C) * scale**2
    return rng.multivariate_normal(np.zeros(C), covariance, size=block_size)
