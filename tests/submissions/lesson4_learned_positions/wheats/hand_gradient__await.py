# question: hand_gradient
# expect: full
# why: a notebook cell may await a coroutine at its top level
import asyncio


async def column(c):
    await asyncio.sleep(0.01)
    return [dout_small[:, t, c].sum() if t < 2 else 0 for t in range(4)]


columns = await asyncio.gather(column(0), column(1))
hand_dP = np.transpose(columns)
hand_dP = np.array(hand_dP, dtype=np.float64)
