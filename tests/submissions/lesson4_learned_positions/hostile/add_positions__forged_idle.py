# question: add_positions
# expect: full
# why: says that the cell is done before it is; the answer follows a little later and is right
import time

_kernel = get_ipython().kernel
_kernel.session.send(
    _kernel.iopub_socket, "status", {"execution_state": "idle"}, parent=_kernel.get_parent()
)
time.sleep(0.3)


def add_positions(token_emb, P):
    return token_emb + P[: token_emb.shape[1]]
