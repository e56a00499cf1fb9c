# question: exercise1
# expect: 0
# why: says True without having the arrays, in types that say yes to everything
class Yes:
    def __eq__(self, other):
        return True

    def __bool__(self):
        return True

    def __array__(self, dtype=None, copy=None):
        return np.zeros((1, 5, 4))


dout1, dP1, rows_equal = Yes(), Yes(), True
