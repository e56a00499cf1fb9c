# question: add_positions
# expect: 0
# why: the recorder publishes nothing and the cell shows full marks in its place
import autograder.kernel.probe

autograder.kernel.probe._publish = lambda evidence: display({"text/plain": "4"}, raw=True)
autograder.kernel.probe.EvidenceRecorded = KeyboardInterrupt


def add_positions(token_emb, P):
    return token_emb.copy()
