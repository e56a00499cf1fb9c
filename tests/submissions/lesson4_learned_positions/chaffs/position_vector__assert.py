# question: position_vector
# expect: 0
# why: an assert raises AssertionError
# mistake: raises AssertionError, where the contract asks for IndexError
def position_vector(P, t):
    assert 0 <= t < len(P), f"t = {t}, block_size = {len(P)}"
    return P[t]
