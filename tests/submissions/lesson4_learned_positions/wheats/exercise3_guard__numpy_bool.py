# question: exercise3_guard
# expect: full
# why: a NumPy truth value is a truth value
def position_allowed(t, block_size, kind):
    last = np.where(kind == "learned", block_size - 1, np.inf)
    return np.all([t >= 0, t <= last])
