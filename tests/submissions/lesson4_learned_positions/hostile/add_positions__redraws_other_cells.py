# question: add_positions
# expect: 0
# why: shows a record under a display id in one cell and redraws it from another
MIME = "application/vnd.autograder.evidence+json"
_cases = [{"returned": {"kind": "none"}, "inputs": [], "shared": []}] * 8
_handle = display({MIME: {"version": 1, "cases": _cases}}, raw=True, display_id="score")


def add_positions(token_emb, P):
    _handle.update({MIME: {"version": 1, "cases": _cases}, "text/plain": "4"}, raw=True)
    return token_emb.copy()
# %% after add_positions_check
_handle.update({"text/plain": "4"}, raw=True)
