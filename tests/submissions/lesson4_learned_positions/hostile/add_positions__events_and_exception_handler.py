# question: add_positions
# expect: 0
# why: shell events and a custom exception handler swallow what ends the check
_shell = get_ipython()


def _swallow(self, kind, value, tb, tb_offset=None):
    return []


_shell.set_custom_exc((BaseException,), _swallow)
_shell.events.register("post_run_cell", lambda *args: print("4 of 4 points"))
_shell.showtraceback = lambda *args, **kwargs: None


def add_positions(token_emb, P):
    return token_emb.copy()
