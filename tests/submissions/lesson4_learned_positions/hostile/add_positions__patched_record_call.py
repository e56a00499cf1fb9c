# question: add_positions
# expect: 0
# why: each case is recorded as an exception that a solution might raise
import autograder.kernel.probe

autograder.kernel.probe._record_call = lambda function, one: {
    "raised": {"type": "Exception", "bases": ["builtins.Exception"], "message": ""},
    "inputs": [],
}


def add_positions(token_emb, P):
    return token_emb.copy()
