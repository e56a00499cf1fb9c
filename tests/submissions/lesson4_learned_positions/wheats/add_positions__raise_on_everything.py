# question: add_positions
# expect: full
# why: turns floating point trouble and warnings into errors for the whole notebook
import warnings

np.seterr(all="raise")
warnings.simplefilter("error")


def add_positions(token_emb, P):
    shape = token_emb.shape
    rows = np.broadcast_to(P[None, : shape[1], : shape[2]], shape)
    return np.sum([token_emb, rows], axis=0)
