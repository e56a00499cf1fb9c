# question: position_vector
# expect: full
# why: looks the row up in a dictionary and turns its KeyError into an IndexError
def position_vector(P, t):
    rows = dict(enumerate(P))
    try:
        return rows[t]
    except KeyError:
        raise IndexError("asked for position %d, but block_size is %d" % (t, len(rows))) from None
