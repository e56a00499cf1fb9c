# question: add_positions
# expect: 0
# why: the recorder is unloaded and a finder loads another in its place
import importlib.abc
import importlib.util
import sys


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, name, path=None, target=None):
        if name.startswith("autograder"):
            package = name in ("autograder", "autograder.kernel")
            return importlib.util.spec_from_loader(name, self, is_package=package)
        return None

    def exec_module(self, module):
        module.run_check = lambda blob: 4
        module.probe = module.case = lambda *a, **k: 4


sys.meta_path.insert(0, Finder())
for _name in [name for name in sys.modules if name.startswith("autograder")]:
    del sys.modules[_name]


def add_positions(token_emb, P):
    return token_emb.copy()
