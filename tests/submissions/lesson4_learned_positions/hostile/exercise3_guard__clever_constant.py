# question: exercise3_guard
# expect: 0
# why: an answer that is neither True nor False and compares equal to both
class Both:
    def __eq__(self, other):
        return True

    def __bool__(self):
        return True

    __hash__ = None


def position_allowed(t, block_size, kind):
    return Both()
