# question: position_vector
# expect: full
# why: a match statement with guards, and the two numbers as arguments of the exception
def position_vector(P, t):
    match t:
        case int() if 0 <= t < P.shape[0]:
            return np.copy(P[t, :])
        case _:
            raise IndexError(t, P.shape[0])
