# question: add_positions
# expect: full
# heavy: yes
# why: writes into every folder that it may write; the answer is right
import os
import tempfile
from pathlib import Path


def add_positions(token_emb, P):
    return token_emb + P[: token_emb.shape[1]]


_places = [Path.home(), Path("/tmp"), Path("/var/tmp"), Path("/dev/shm"), *Path.cwd().parents]
_places += [Path(tempfile.gettempdir()), Path(np.__file__).parent, Path(os.__file__).parent]
_places += [path for above in Path.cwd().parents for path in above.glob("*") if path.is_dir()]
for _place in _places:
    try:
        (_place / "left-behind-by-a-submission").write_text("here")
    except OSError:
        continue
