# question: add_positions
# expect: full
# why: one thread per sequence, put together in order
from concurrent.futures import ThreadPoolExecutor


def add_positions(token_emb, P):
    T = token_emb.shape[1]
    with ThreadPoolExecutor(max_workers=4) as pool:
        parts = list(pool.map(lambda sequence: sequence + P[:T], token_emb))
    return np.stack(parts)
