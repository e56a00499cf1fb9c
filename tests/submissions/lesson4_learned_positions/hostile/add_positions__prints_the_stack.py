# question: add_positions
# expect: 0
# why: collects what the call stack holds of the check and prints it in a later cell
import gc
import inspect
import linecache
import os
import sys

SEEN = []


def add_positions(token_emb, P):
    frame = sys._getframe(1)
    while frame is not None:
        SEEN.append(repr(frame.f_code.co_consts) + repr(frame.f_locals)[:5000])
        try:
            if not os.path.exists(frame.f_code.co_filename):
                SEEN.append(inspect.getsource(frame))
        except (OSError, TypeError):
            pass
        frame = frame.f_back
    SEEN.extend(repr(thing) for thing in gc.get_objects() if type(thing).__name__ == "Case")
    for file, entry in linecache.cache.items():
        if len(entry) == 4 and not os.path.exists(file):
            SEEN.append("".join(entry[2]))
    return token_emb.copy()
# %% after add_positions_check
for text in SEEN:
    print(text[:20_000])
print("\n".join(str(source) for source in (globals().get("In"), globals().get("_ih"))))
print(list(get_ipython().history_manager.get_range(output=True)))
