# question: add_positions
# expect: 0
# why: an object that says that it equals whatever it is compared with
class Yes:
    shape, dtype, ndim, size = (2, 3, 2), np.dtype("float64"), 3, 12

    def __eq__(self, other):
        return True

    def __ne__(self, other):
        return False

    __lt__ = __le__ = __gt__ = __ge__ = __eq__
    __hash__ = None

    def __getattr__(self, name):
        return self

    def __call__(self, *args, **kwargs):
        return self

    def __bool__(self):
        return True

    def __array__(self, dtype=None, copy=None):
        return np.zeros(self.shape)


def add_positions(token_emb, P):
    return Yes()
