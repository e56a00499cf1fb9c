# question: add_positions
# expect: 0
# why: sleeps in C while it holds the interpreter's lock, so nothing else in it runs
import ctypes


def add_positions(token_emb, P):
    ctypes.PyDLL(None).sleep(10_000)
