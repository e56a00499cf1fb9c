# question: add_positions
# expect: 0
# why: display hooks and formatters turn everything into full marks
import sys

_shell = get_ipython()
sys.displayhook = lambda value: print("4")
for _formatter in _shell.display_formatter.formatters.values():
    _formatter.for_type(dict, lambda *args: "4")
    _formatter.for_type(float, lambda *args: "4")
_shell.displayhook.write_format_data = lambda *args, **kwargs: None


def add_positions(token_emb, P):
    return token_emb.copy()
