# question: add_positions
# expect: 0
# why: the recorder is made to send a record that holds NaN where text belongs
import autograder.kernel.probe

_publish = autograder.kernel.probe._publish


def _forged(evidence):
    evidence['cases'][0]['returned'] = {'kind': 'float', 'value': float('nan')}
    _publish(evidence)


autograder.kernel.probe._publish = _forged


def add_positions(token_emb, P):
    return token_emb.copy()
