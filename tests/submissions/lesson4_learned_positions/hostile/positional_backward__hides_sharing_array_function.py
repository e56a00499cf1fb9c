# question: positional_backward
# expect: 4
# why: hands dout back as a subclass that answers NumPy's questions about memory itself
class Quiet(np.ndarray):
    def __array_function__(self, func, types, args, kwargs):
        if func in (np.shares_memory, np.may_share_memory):
            return False
        return super().__array_function__(func, types, args, kwargs)


def positional_backward(dout, block_size):
    dP = np.zeros((block_size, dout.shape[2]), dtype=dout.dtype)
    dP[: dout.shape[1]] = dout.sum(axis=0)
    return dout.view(Quiet), dP
