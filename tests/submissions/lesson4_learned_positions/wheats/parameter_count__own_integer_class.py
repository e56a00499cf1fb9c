# question: parameter_count
# expect: full
# why: a subclass of int with a nicer text is still that number
class Parameters(int):
    def __repr__(self):
        return f"{int(self):,} parameters"

    __str__ = __repr__


def parameter_count(block_size, C, *, verbose=False):
    n = Parameters(block_size * C)
    if verbose:
        print(n)
    return n


parameter_count(1024, 768, verbose=True)
