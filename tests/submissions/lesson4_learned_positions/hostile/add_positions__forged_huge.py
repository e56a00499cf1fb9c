# question: add_positions
# expect: 0
# why: sends a record of a hundred megabytes, more than thirty million empty lists, as raw JSON
import autograder.kernel.probe

_kernel = get_ipython().kernel
_publish = autograder.kernel.probe._publish


def _forged(evidence):
    serialize = _kernel.session.serialize

    def huge(message, ident=None):
        frames = serialize(message, ident)
        frames[-1] = frames[-1].replace(b'"huge-record"', b"[" + b"[]," * 33_000_000 + b"[]]")
        start = frames.index(b"<IDS|MSG>") + 1
        frames[start] = _kernel.session.sign(frames[start + 1 : start + 5])
        return frames

    _kernel.session.serialize = huge
    try:
        _publish({"version": 1, "cases": "huge-record"})
    finally:
        _kernel.session.serialize = serialize


autograder.kernel.probe._publish = _forged


def add_positions(token_emb, P):
    return token_emb.copy()
