# question: add_positions
# expect: full
# why: links, locks and moves what is in its folder; the answer is right
import os
from pathlib import Path


def add_positions(token_emb, P):
    return token_emb + P[: token_emb.shape[1]]


Path("up").symlink_to("../../..")
Path("root").symlink_to("/")
Path("locked").mkdir()
Path("locked/file.txt").write_text("x")
Path("locked").chmod(0)
Path("-rf *").mkdir()
os.mkfifo("pipe.ipynb")
for _notebook in Path(".").glob("*.ipynb"):
    _notebook.rename("moved.ipynb")
os.chdir("/")
