# question: add_positions
# expect: 0
# why: the recorder is made to send a record that claims an array of objects
import autograder.kernel.probe

_publish = autograder.kernel.probe._publish


def _forged(evidence):
    evidence['cases'][0]['returned']['dtype'] = 'object'
    _publish(evidence)


autograder.kernel.probe._publish = _forged


def add_positions(token_emb, P):
    return token_emb.copy()
