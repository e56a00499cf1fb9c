# question: positional_backward
# expect: full
# why: functools.reduce adds the sequences, a list of rows is stacked
import functools
import operator


def positional_backward(dout, block_size):
    T, C = dout.shape[1:]
    total = functools.reduce(operator.add, dout)
    zero = np.zeros(C, dtype=dout.dtype)
    rows = [total[t] if t < T else zero for t in range(block_size)]
    return np.array(dout), np.stack(rows)
