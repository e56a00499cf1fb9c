# question: add_positions
# expect: 0
# why: probing does nothing, without an exception at the end
import autograder.kernel.probe

autograder.kernel.probe.probe = lambda *cases, **options: None
autograder.kernel.probe.case = lambda *args, **options: None


def add_positions(token_emb, P):
    return token_emb.copy()
