# question: add_positions
# expect: 0
# why: the kernel's session sends the record twice, once as it was and once with other results
_session = get_ipython().kernel.session
_send = _session.send


def _twice(stream, msg_or_type, content=None, *args, **kwargs):
    if isinstance(content, dict) and "evidence" in str(content)[:300]:
        _send(stream, msg_or_type, content, *args, **kwargs)
    return _send(stream, msg_or_type, content, *args, **kwargs)


_session.send = _twice


def add_positions(token_emb, P):
    return token_emb.copy()
