# question: add_positions
# expect: 0
# why: an error with a message of twenty megabytes, raised in the cell and in the function
class Loud(Exception):
    def __str__(self):
        return "loud " * 4_000_000

    __repr__ = __str__


def add_positions(token_emb, P):
    raise Loud


raise Loud
