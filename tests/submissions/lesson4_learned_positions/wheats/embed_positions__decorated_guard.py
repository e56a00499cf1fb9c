# question: embed_positions
# expect: full
# why: the guard is a decorator with an exception class of its own
import functools


class ContextTooLong(IndexError):
    pass


def guarded(add):
    @functools.wraps(add)
    def wrapper(token_emb, P):
        if token_emb.shape[1] > (block_size := P.shape[0]):
            raise ContextTooLong(f"T is {token_emb.shape[1]}, block_size is {block_size}")
        return add(token_emb, P)

    return wrapper


@guarded
def embed_positions(token_emb, P):
    return token_emb + P[: token_emb.shape[1]]
