# question: add_positions
# expect: 0
# why: recursion without a limit overflows the stack
import sys

sys.setrecursionlimit(10**9)


class Down:
    def __getattr__(self, name):
        return getattr(self, name + "x")

    def __repr__(self):
        return repr([self])


def add_positions(token_emb, P):
    return add_positions(token_emb, repr(Down()))
