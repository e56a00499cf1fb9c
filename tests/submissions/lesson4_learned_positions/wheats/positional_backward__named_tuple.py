# question: positional_backward
# expect: full
# why: a named tuple is a pair
from typing import NamedTuple


class Gradients(NamedTuple):
    dtoken_emb: np.ndarray
    dP: np.ndarray


def positional_backward(dout, block_size):
    B, T, C = dout.shape
    dP = np.zeros((block_size, C), dtype=dout.dtype)
    np.add.at(dP, np.tile(np.arange(T), B), dout.reshape(B * T, C))
    return Gradients(dtoken_emb=dout.copy(), dP=dP)
