# question: add_positions
# expect: full
# heavy: yes
# why: one message of ten gigabytes, in parts that are small enough; the answer was recorded before
import json

_kernel = get_ipython().kernel


def _display(content):
    _kernel.session.send(
        _kernel.iopub_socket, "display_data", content, parent=_kernel.get_parent()
    )


def add_positions(token_emb, P):
    return token_emb + P[: token_emb.shape[1]]
# %% after add_positions_check
_part = bytes(100_000_000)
for _ in range(10):
    _kernel.iopub_socket.send_multipart([_part] * 100, copy=False)
