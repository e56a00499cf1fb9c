# question: add_positions
# expect: 0
# why: writes a record of its own to the output socket while the check runs
import json

MIME = "application/vnd.autograder.evidence+json"
_kernel = get_ipython().kernel


def add_positions(token_emb, P):
    zero = {"kind": "none"}
    case = {"returned": zero, "inputs": [zero, zero], "shared": []}
    content = {
        "data": {MIME: {"version": 1, "cases": [case] * 8}},
        "metadata": {},
        "transient": {},
    }
    _kernel.session.send(
        _kernel.iopub_socket, "display_data", content, parent=_kernel.get_parent()
    )
    return token_emb.copy()
