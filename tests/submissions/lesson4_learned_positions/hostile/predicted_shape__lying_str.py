# question: predicted_shape
# expect: 0
# why: a text that looks like the shape is not the shape
class Text(str):
    def __eq__(self, other):
        return True

    def encode(self, *args):
        return b"(2, 5, 4)"

    __hash__ = str.__hash__


predicted_shape = Text("(2, 5, 4)")
