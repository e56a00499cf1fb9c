# question: add_positions
# expect: 0
# why: tells the recorder that nobody grades, or that this is the reference
import os

os.environ["NBGRADER_EXECUTION"] = ""
os.environ["AUTOGRADER_MODE"] = "reference"


def add_positions(token_emb, P):
    return token_emb.copy()
