# question: sinusoidal_position
# expect: 0
# why: guards a formula as if it were a table
# mistake: refuses positions past block_size, which a formula does not have
def sinusoidal_position(t, C):
    if t < 0 or t >= block_size:
        raise IndexError(f"position {t}, block_size {block_size}")
    angles = t / 10000 ** (np.arange(0, C, 2) / C)
    vector = np.empty(C)
    vector[0::2] = np.sin(angles)
    vector[1::2] = np.cos(angles)
    return vector
