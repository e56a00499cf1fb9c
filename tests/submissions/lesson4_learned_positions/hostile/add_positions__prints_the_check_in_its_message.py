# question: add_positions
# expect: 0
# why: an exception whose message is what the caller's code holds, for the table of cases
import sys


def add_positions(token_emb, P):
    texts, frame = [], sys._getframe(1)
    while frame is not None:
        code = frame.f_code
        texts.append(repr((code.co_filename, code.co_consts, code.co_names)))
        frame = frame.f_back
    raise ValueError("\n".join(texts))
