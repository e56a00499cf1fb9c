# question: add_positions
# expect: 0
# why: the recorder is made to send a record that is of other types
import autograder.kernel.probe

_publish = autograder.kernel.probe._publish


def _forged(evidence):
    evidence['cases'] = {str(i): c for i, c in enumerate(evidence['cases'])}
    _publish(evidence)


autograder.kernel.probe._publish = _forged


def add_positions(token_emb, P):
    return token_emb.copy()
