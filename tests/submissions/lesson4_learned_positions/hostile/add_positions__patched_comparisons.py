# question: add_positions
# expect: 0
# why: every comparison in NumPy says yes, the answer is wrong all the same
import numpy.testing

np.allclose = np.array_equal = np.array_equiv = lambda *a, **k: True
np.isclose = lambda a, b, **k: np.ones(np.shape(a), dtype=bool)
np.testing.assert_allclose = np.testing.assert_array_equal = lambda *a, **k: None


def add_positions(token_emb, P):
    return token_emb.copy()
