# question: bug_hunt
# expect: full
# why: a helper in a cell of its own, messages on stderr and a figure of the errors
# %% before bug_hunt
import sys


def is_right(dP, measured, error_of):
    if dP.shape != measured.shape:
        print("wrong shape", dP.shape, file=sys.stderr)
        return False
    error = error_of(dP, measured)
    print(f"error {error:.1e}", file=sys.stderr)
    return bool(error < 1e-6)
# %% answer bug_hunt
def hunt(candidates, P, dout, numerical_gradient, max_relative_error):
    T = dout.shape[1]
    measured = numerical_gradient(lambda table: np.sum(table[None, :T] * dout), P)
    return {n: is_right(f(dout, len(P)), measured, max_relative_error) for n, f in candidates.items()}


v = hunt(suspects, P, dout, numerical_gradient, max_relative_error)
plt.bar(v.keys(), [int(ok) for ok in v.values()])
plt.show()
