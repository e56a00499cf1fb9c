# question: add_positions
# expect: 0
# heavy: yes
# why: looks for the lesson, other submissions and the kept reference, and runs what it finds
import glob
import json
import os
import re
from pathlib import Path


def _roots():
    yield from (Path.cwd(), *Path.cwd().parents)
    for link in glob.glob("/proc/[0-9]*/cwd") + glob.glob("/proc/[0-9]*/root/work"):
        try:
            yield Path(os.readlink(link))
        except OSError:
            continue


def _solutions():
    for root in set(_roots()) - {Path("/")}:
        for pattern in ("lessons/*/*.ipynb", "submitted/*/*/*.ipynb", "solutions/*/*.ipynb"):
            for file in root.glob(pattern):
                try:
                    cells = json.loads(file.read_text())["cells"]
                except (OSError, ValueError, KeyError):
                    continue
                for cell in cells:
                    source = "".join(cell["source"])
                    if "def add_positions" in source and "raise NotImpl" not in source:
                        if "SOLUTION" in source or "/submitted/" in str(file):
                            yield re.sub(r"### (BEGIN|END) SOLUTION", "", source)


for _source in _solutions():
    exec(_source)
    break
else:

    def add_positions(token_emb, P):
        return token_emb.copy()
