# question: positional_backward
# expect: full
# why: globals called dP, B, T and C are changed before and after, and the function uses its own
B, T, C = 99, 98, 97
dP = "nothing yet"


def positional_backward(dout, block_size):
    B, T, C = dout.shape
    dP = np.concatenate([dout, np.zeros((B, block_size - T, C), dout.dtype)], axis=1).sum(axis=0)
    return np.array(dout, copy=True), dP


B, T, C = dout.shape
