# question: add_positions
# expect: 0
# why: sends the record two thousand times
import autograder.kernel.probe

_publish = autograder.kernel.probe._publish


def _forged(evidence):
    for _ in range(2000):
        _publish(evidence)


autograder.kernel.probe._publish = _forged


def add_positions(token_emb, P):
    return token_emb.copy()
