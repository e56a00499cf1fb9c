# question: max_relative_error
# expect: 0
# why: a float of 0 that hides it
class Small(float):
    def hex(self):
        return float.hex(0.5)

    def __eq__(self, other):
        return True

    def __float__(self):
        return 0.5

    __hash__ = float.__hash__


def max_relative_error(a, b, floor=1e-12):
    return Small(0.0)
