# question: add_positions
# expect: 0
# why: the recorder's modules are replaced by ones that display full marks
import sys
import types

_fake = types.ModuleType("autograder.kernel.probe")
_fake.run_check = lambda blob: 4
_fake.case = _fake.probe = lambda *a, **k: 4
_fake.default_rng = np.random.default_rng
sys.modules["autograder.kernel.probe"] = _fake
sys.modules["autograder.kernel"].probe = sys.modules["autograder"].probe = _fake
sys.modules["autograder.evidence"] = _fake


def add_positions(token_emb, P):
    return token_emb.copy()
