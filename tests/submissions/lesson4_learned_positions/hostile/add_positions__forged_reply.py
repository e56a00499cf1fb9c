# question: add_positions
# expect: 0
# why: answers the check's request itself, before the check has run
_kernel = get_ipython().kernel


def add_positions(token_emb, P):
    parent = _kernel.get_parent()
    content = {"status": "ok", "execution_count": 4, "payload": [], "user_expressions": {}}
    for name in ("shell_socket", "shell_stream", "control_stream", "iopub_socket"):
        stream = getattr(_kernel, name, None)
        if stream is not None:
            try:
                _kernel.session.send(stream, "execute_reply", content, parent=parent)
            except Exception:
                continue
    return token_emb.copy()
