# question: parameter_count
# expect: full
# why: row by row, recursively, with a higher limit for the large table
import sys

sys.setrecursionlimit(10_000)


def parameter_count(block_size, C):
    if block_size == 0:
        return 0
    return C + parameter_count(block_size - 1, C)
