# question: exercise2
# expect: full
# why: a class with a method, plain floats and type annotations
# %% before exercise2
class Slope:
    """Central difference of a loss in one entry of a table."""

    def __init__(self, loss, eps: float = 1e-6) -> None:
        self.loss, self.eps = loss, eps

    def at(self, table: "np.ndarray", *index: int) -> float:
        values = []
        for sign in (+1, -1):
            moved = table.copy()
            moved[index] += sign * self.eps
            values.append(float(self.loss(moved)))
        return (values[0] - values[1]) / (2 * self.eps)
# %% answer exercise2
eps: float = 1e-6
slope = Slope(loss_fn)
finite_difference: float = slope.at(P, 6, 0)
control: float = slope.at(P, 4, 0)
f"{finite_difference=}, {control=}"
