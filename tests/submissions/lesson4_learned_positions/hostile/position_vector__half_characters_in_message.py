# question: position_vector
# expect: full
# why: the right exceptions with the right numbers, beside characters that UTF-8 cannot hold
def position_vector(P, t):
    if not 0 <= t < len(P):
        raise IndexError(f"\ud83d position {t}, \x00 block_size {len(P)} \udcff")
    return P[t]
