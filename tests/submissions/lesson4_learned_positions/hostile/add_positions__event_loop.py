# question: add_positions
# expect: 0
# why: stops the kernel's event loop from inside the function
import asyncio


def add_positions(token_emb, P):
    asyncio.get_event_loop().stop()
    return token_emb.copy()
