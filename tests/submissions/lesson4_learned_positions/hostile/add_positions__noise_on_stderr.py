# question: add_positions
# expect: full
# why: warnings, logging, errors shown by hand; none of it changes a right answer's points
import logging
import sys
import traceback
import warnings

logging.basicConfig(level=logging.DEBUG, force=True)


def add_positions(token_emb, P):
    warnings.warn("this is fine", stacklevel=1)
    logging.error("this is fine")
    print("Traceback (most recent call last): this is fine", file=sys.__stderr__)
    try:
        raise ValueError("this is fine")
    except ValueError:
        traceback.print_exc()
        get_ipython().showtraceback()
    display(0)
    return token_emb + P[: token_emb.shape[1]]
