# question: position_vector
# expect: 0
# why: rewords NumPy's error, which never comes for a negative position
# mistake: lets a negative position wrap round to the end of the table
def position_vector(P, t):
    try:
        return P[t]
    except IndexError:
        raise IndexError(f"t = {t} is outside of block_size = {len(P)}")
