# question: exercise3_guard
# expect: full
# why: common built-in names stand for other things from here on
all = any = False
type = id = "learned"
sorted = reversed = dict = set = min = abs = tuple = None
case, probe, position = "upper", "thermometer", 11


def position_allowed(t, block_size, kind):
    """Return True if a position encoding of this kind has a vector for position t, else False."""
    is_table = kind == type
    return bool(t >= 0) and not (is_table and t >= block_size)
