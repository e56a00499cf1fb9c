# question: make_position_table
# expect: full
# why: draws row by row and shows a progress bar with carriage returns
import sys


def make_position_table(block_size, C, rng, scale=0.02):
    rows = []
    for t in range(block_size):
        done = int(30 * (t + 1) / block_size)
        sys.stdout.write("\r[" + "#" * done + "." * (30 - done) + f"] {t + 1}/{block_size}")
        sys.stdout.flush()
        rows.append(scale * rng.standard_normal(C))
    print()
    return np.stack(rows)


make_position_table(300, 16, np.random.default_rng(5));
