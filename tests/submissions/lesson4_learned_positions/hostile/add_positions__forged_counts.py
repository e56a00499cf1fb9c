# question: add_positions
# expect: 0
# why: the recorder is made to send a record that has a case too few
import autograder.kernel.probe

_publish = autograder.kernel.probe._publish


def _forged(evidence):
    evidence['cases'] = evidence['cases'][:-1]
    _publish(evidence)


autograder.kernel.probe._publish = _forged


def add_positions(token_emb, P):
    return token_emb.copy()
