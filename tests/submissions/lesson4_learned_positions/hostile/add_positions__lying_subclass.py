# question: add_positions
# expect: 0
# why: an array subclass that lies about shape, type and values; its data are the bare tokens
class Liar(np.ndarray):
    __array_priority__ = 1e9

    def __array_finalize__(self, obj):
        pass

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        return True

    def __array_function__(self, func, types, args, kwargs):
        return np.True_

    def __eq__(self, other):
        return np.True_

    def __array__(self, *args, **kwargs):
        return np.zeros((1,))

    def view(self, *args):
        return self

    def astype(self, *args, **kwargs):
        return self

    def tobytes(self, *args):
        return b""

    def __reduce_ex__(self, protocol):
        return (np.zeros, ((1,),))

    def __deepcopy__(self, memo):
        return self

    @property
    def nbytes(self):
        return 0


def add_positions(token_emb, P):
    return token_emb.copy().view(Liar)
