# question: add_positions
# expect: 0
# why: sends a record that is nested a hundred thousand levels deep, as raw JSON
import autograder.kernel.probe

_kernel = get_ipython().kernel
_publish = autograder.kernel.probe._publish


def _forged(evidence):
    serialize = _kernel.session.serialize

    def deep(message, ident=None):
        frames = serialize(message, ident)
        frames[-1] = frames[-1].replace(b'"deep-record"', b"[" * 100_000 + b"]" * 100_000)
        start = frames.index(b"<IDS|MSG>") + 1
        frames[start] = _kernel.session.sign(frames[start + 1 : start + 5])
        return frames

    _kernel.session.serialize = deep
    try:
        _publish({"version": 1, "cases": "deep-record"})
    finally:
        _kernel.session.serialize = serialize


autograder.kernel.probe._publish = _forged


def add_positions(token_emb, P):
    return token_emb.copy()
