# question: exercise3_guard
# expect: full
# why: an extension, a traceback mode and a captured cell
%load_ext autoreload
%autoreload 2
%xmode Minimal


def position_allowed(t, block_size, kind):
    return {"learned": t < block_size, "sinusoidal": True}[kind] and t >= 0
# %% after exercise3_guard
%%capture output
print(position_allowed(3, 8, "learned"))
