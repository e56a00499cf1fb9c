# question: exercise3_guard
# expect: full
# why: %%writefile saves a module beside the notebook, which the answer imports
# %% before exercise3_guard
%%writefile my_guard.py
def allowed(t, last):
    return 0 <= t <= last
# %% answer exercise3_guard
from my_guard import allowed


def position_allowed(t, block_size, kind):
    return allowed(t, block_size - 1 if kind == "learned" else t)
