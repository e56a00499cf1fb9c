# question: sinusoidal_position
# expect: 0
# why: all sines first, then all cosines
# mistake: puts all sines in the first half and all cosines in the second
def sinusoidal_position(t, C):
    angles = t / 10000 ** (np.arange(0, C, 2) / C)
    return np.concatenate([np.sin(angles), np.cos(angles)])
