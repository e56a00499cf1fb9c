# question: position_vector
# expect: full
# why: a row as an instance of an ndarray subclass is an array and may be a view
class Row(np.ndarray):
    def __repr__(self):
        return "row " + np.array_str(self, precision=3)


def position_vector(P, t):
    n_rows, n_columns = P.shape
    if t in range(n_rows):
        return P[t].view(Row)
    raise IndexError(f"t={t} not in 0..{n_rows - 1} (block_size {n_rows})")


position_vector(P, 3)
