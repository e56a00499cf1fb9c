# question: parameter_count
# expect: full
# why: a NumPy integer is a whole number
from math import prod


def parameter_count(block_size: int, C: int) -> np.int64:
    assert prod((block_size, C)) == np.prod([block_size, C])
    return np.multiply(np.int64(block_size), C)
