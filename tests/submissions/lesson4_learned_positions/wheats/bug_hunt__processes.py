# question: bug_hunt
# expect: full
# why: a pool of processes works through the candidates' names
import multiprocessing


def _length(name):
    return len(name)


def hunt(candidates, P, dout, numerical_gradient, max_relative_error):
    with multiprocessing.get_context("fork").Pool(2) as pool:
        pool.map(_length, candidates)
    T = dout.shape[1]
    measured = numerical_gradient(lambda table: np.sum(table[:T] * dout), P)
    tables = [backward(dout, len(P)) for backward in candidates.values()]
    return {
        name: dP.shape == P.shape and bool(max_relative_error(dP, measured) < 1e-6)
        for name, dP in zip(candidates, tables)
    }
