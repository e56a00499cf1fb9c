# question: add_positions
# expect: full
# heavy: yes
# why: forged records, each as large as may be read, in twenty cells' worth; the answer is right
import json

_kernel = get_ipython().kernel


def _display(content):
    _kernel.session.send(
        _kernel.iopub_socket, "display_data", content, parent=_kernel.get_parent()
    )


def add_positions(token_emb, P):
    return token_emb + P[: token_emb.shape[1]]
# %% after add_positions_check
_mime = b"application/vnd.autograder.evidence+json"
_lists = b'{"data": {"' + _mime + b'": [' + b"[]," * 290_000 + b'0]}, "metadata": {}}'
for _ in range(30):
    _display(_lists)
