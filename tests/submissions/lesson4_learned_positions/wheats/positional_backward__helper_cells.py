# question: positional_backward
# expect: full
# why: helpers live in cells of the student's own, one before and one after the answer
# %% before positional_backward
class Table:
    """A table that collects gradients."""

    def __init__(self, rows, columns, dtype):
        self.values = np.zeros((rows, columns), dtype=dtype)

    def collect(self, gradients):
        scatter(self.values, gradients)
        return self
# %% answer positional_backward
def positional_backward(dout, block_size):
    table = Table(block_size, dout.shape[-1], dout.dtype)
    for gradients in dout:
        table.collect(gradients)
    return dout.copy(), table.values
# %% after positional_backward
def scatter(values, gradients):
    for t in range(len(gradients)):
        values[t] += gradients[t]
