# question: predicted_shape
# expect: 0
# why: a tuple of the wrong numbers that shows something else
class Shape(tuple):
    def __eq__(self, other):
        return True

    def __iter__(self):
        return iter((2, 5, 4))

    def __getitem__(self, key):
        return (2, 5, 4)[key]

    def __len__(self):
        return 3

    __hash__ = tuple.__hash__


predicted_shape = Shape((8, 4))
