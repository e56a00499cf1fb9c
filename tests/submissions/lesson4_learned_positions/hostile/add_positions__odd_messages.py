# question: add_positions
# expect: full
# why: signed messages whose content no client expects; the answer is right
_kernel = get_ipython().kernel


def _say(kind, content):
    _kernel.session.send(_kernel.iopub_socket, kind, content, parent=_kernel.get_parent())


for _content in ({}, {"data": None}, {"data": {"text/plain": 7}, "metadata": []}, {"name": 3}):
    for _kind in ("stream", "display_data", "execute_result", "error", "clear_output", "status"):
        _say(_kind, _content)
_say("update_display_data", {"data": {}, "metadata": {}, "transient": {"display_id": ["a"]}})
_say("display_data", {"data": {"text/plain": "x"}, "metadata": {}, "transient": "none"})
_say("error", {"ename": "", "evalue": None, "traceback": "text"})
_say("x" * 1000, {"execution_state": "idle"})
_say("stream", {"name": "stdin", "text": ["a", "b"]})


def add_positions(token_emb, P):
    return token_emb + P[: token_emb.shape[1]]
