# question: add_positions
# expect: full
# why: as many threads as the machine allows, after the check has recorded a right answer
def add_positions(token_emb, P):
    return token_emb + P[: token_emb.shape[1]]
# %% after add_positions_check
import threading
import time

for _ in range(3000):
    try:
        threading.Thread(target=time.sleep, args=(600,)).start()
    except (RuntimeError, MemoryError):
        break
