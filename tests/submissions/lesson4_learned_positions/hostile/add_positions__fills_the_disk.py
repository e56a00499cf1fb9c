# question: add_positions
# expect: full
# heavy: yes
# why: writes files until something stops it; the answer was recorded before
def add_positions(token_emb, P):
    return token_emb + P[: token_emb.shape[1]]
# %% after add_positions_check
from pathlib import Path

for _number in range(200):
    try:
        with Path(f"big-{_number}").open("wb") as _stream:
            for _ in range(1000):
                _stream.write(bytes(1_000_000))
    except OSError as error:
        print(error)
