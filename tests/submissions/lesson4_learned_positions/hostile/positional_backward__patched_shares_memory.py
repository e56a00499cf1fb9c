# question: positional_backward
# expect: 4
# why: hands dout back and makes NumPy deny that memory is shared; two edges are lost
np.shares_memory = np.may_share_memory = lambda *a, **k: False
np.lib.array_utils.byte_bounds = lambda *a: (0, 0)


def positional_backward(dout, block_size):
    dP = np.zeros((block_size, dout.shape[2]), dtype=dout.dtype)
    dP[: dout.shape[1]] = dout.sum(axis=0)
    return dout, dP
