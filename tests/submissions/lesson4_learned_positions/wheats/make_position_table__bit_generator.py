# question: make_position_table
# expect: full
# why: a second generator that shares rng's bit generator draws from rng
def make_position_table(block_size, C, rng, scale=0.02):
    twin = np.random.Generator(rng.bit_generator)
    # polar method, by hand
    values = []
    while len(values) < block_size * C:
        u, v = 2 * twin.random(2) - 1
        s = u * u + v * v
        if 0 < s < 1:
            factor = scale * np.sqrt(-2 * np.log(s) / s)
            values += [u * factor, v * factor]
    return np.array(values[: block_size * C]).reshape((block_size, C))
