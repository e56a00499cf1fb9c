# question: add_positions
# expect: 0
# why: the recorder is made to send a record that names an exception that is HTML
import autograder.kernel.probe

_publish = autograder.kernel.probe._publish
_script = "<script>/* corpus-injection */</script>"


def _forged(evidence):
    raised = {"type": _script, "bases": [_script], "message": _script}
    evidence["cases"][0] = {"raised": raised, "inputs": []}
    _publish(evidence)


autograder.kernel.probe._publish = _forged


def add_positions(token_emb, P):
    return token_emb.copy()
