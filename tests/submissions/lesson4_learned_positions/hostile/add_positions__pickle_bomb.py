# question: add_positions
# expect: 0
# why: an object that runs code when it is pickled, copied or unpickled
import os


class Bomb:
    def __reduce__(self):
        return (os.system, ("touch left-behind-by-a-submission",))

    def __deepcopy__(self, memo):
        raise SystemExit

    __copy__ = __getstate__ = __deepcopy__


def add_positions(token_emb, P):
    return Bomb()
