# question: add_positions
# expect: 0
# why: NumPy's converters return something else, the answer is wrong all the same
def _zeros(*args, **kwargs):
    return np.zeros((3, 5, 4))


np.asarray = np.array = np.ascontiguousarray = np.frombuffer = _zeros


def add_positions(token_emb, P):
    return token_emb
