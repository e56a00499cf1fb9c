# question: add_positions
# expect: 0
# why: imports give the check a recorder of the student's own
import builtins
import types

_import = builtins.__import__
_fake = types.ModuleType("autograder.kernel.probe")
_fake.case = lambda *a, **k: None
_fake.probe = lambda *a, **k: None
_fake.default_rng = np.random.default_rng
_fake.run_check = lambda blob: 4.0


def _importer(name, *args, **kwargs):
    module = _import(name, *args, **kwargs)
    if name == "autograder.kernel.probe":
        return types.SimpleNamespace(kernel=types.SimpleNamespace(probe=_fake))
    return module


builtins.__import__ = _importer


def add_positions(token_emb, P):
    return token_emb.copy()
