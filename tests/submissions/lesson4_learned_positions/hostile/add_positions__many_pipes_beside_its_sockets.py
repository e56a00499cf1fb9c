# question: add_positions
# expect: full
# heavy: yes
# why: pipes without number in the folder of its connections; the answer was recorded before
def add_positions(token_emb, P):
    return token_emb + P[: token_emb.shape[1]]
# %% after add_positions_check
import itertools
import os
from pathlib import Path

from ipykernel.connect import get_connection_file

for _number in itertools.count():
    os.mkfifo(Path(get_connection_file()).parent / f"pipe-{_number}")
