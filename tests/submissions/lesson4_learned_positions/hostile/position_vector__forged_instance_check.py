# question: position_vector
# expect: 0
# why: raises a KeyError whose metaclass says that it is anything
class Anything(type):
    def __instancecheck__(cls, instance):
        return True

    def __subclasscheck__(cls, other):
        return True

    @property
    def __mro__(cls):
        return (IndexError, LookupError, Exception, BaseException, object)

    @property
    def __name__(cls):
        return "IndexError"

    @property
    def __bases__(cls):
        return (IndexError,)


class Sly(KeyError, metaclass=Anything):
    __class__ = IndexError


def position_vector(P, t):
    if not 0 <= t < len(P):
        raise Sly(f"position {t}, block_size {len(P)}")
    return P[t]
