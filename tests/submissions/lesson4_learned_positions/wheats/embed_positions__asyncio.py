# question: embed_positions
# expect: full
# why: coroutines in a thread of their own; one per sequence
import asyncio
import threading


async def _embed_one(sequence, rows):
    await asyncio.sleep(0)
    return sequence + rows


async def _embed_all(batch, rows):
    return np.array(await asyncio.gather(*(_embed_one(s, rows) for s in batch)))


def embed_positions(token_emb, P):
    T, N = token_emb.shape[1], len(P)
    if T > N:
        raise IndexError(f"{T=} is larger than block_size={N}")
    result = []
    thread = threading.Thread(
        target=lambda: result.append(asyncio.run(_embed_all(token_emb, P[:T])))
    )
    thread.start()
    thread.join()
    return result[0]
