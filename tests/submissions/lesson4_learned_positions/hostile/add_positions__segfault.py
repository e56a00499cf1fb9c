# question: add_positions
# expect: 0
# why: reads from address zero
import ctypes


def add_positions(token_emb, P):
    return ctypes.string_at(0)
