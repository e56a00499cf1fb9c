# question: add_positions
# expect: 0
# why: the recorder's encoder records what it is told to
import autograder.evidence
import autograder.kernel.probe

_real = autograder.evidence.encode


def _fake(value):
    record = _real(value)
    if record.get("kind") == "array":
        record["data"] = "A" * len(record["data"])
    return record


autograder.evidence.encode = autograder.kernel.probe.encode = _fake


def add_positions(token_emb, P):
    return token_emb.copy()
