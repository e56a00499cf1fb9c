# question: position_vector
# expect: full
# why: works in a folder of its own and leaves a file there
import os
import tempfile

os.chdir(tempfile.mkdtemp())
np.save("table.npy", P)


def position_vector(P, t):
    if not (P.shape[0] > t >= 0):
        raise IndexError("position " + str(t) + ", block_size " + str(P.shape[0]))
    return np.take(P, t, axis=0)


print(position_vector(np.load("table.npy"), 0))
