# question: position_vector
# expect: 0
# why: prints a complaint and returns nothing
# mistake: returns None for a position outside the table
def position_vector(P, t):
    if 0 <= t < len(P):
        return P[t]
    print(f"IndexError: position {t} is not in a table with block_size {len(P)}")
