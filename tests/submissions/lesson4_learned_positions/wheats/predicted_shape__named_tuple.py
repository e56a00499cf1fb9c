# question: predicted_shape
# expect: full
# why: a named tuple is a tuple
from collections import namedtuple

Shape = namedtuple("Shape", "sequences positions dimensions")
predicted_shape = Shape(sequences=2, positions=5, dimensions=4)
print(predicted_shape)
