# question: position_vector
# expect: 0
# why: the right check with another exception than the contract names
# mistake: raises ValueError, where the contract asks for IndexError
def position_vector(P, t):
    block_size = P.shape[0]
    if not 0 <= t < block_size:
        raise ValueError(f"position {t} out of range for block_size {block_size}")
    return P[t]
