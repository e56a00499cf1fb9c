# question: add_positions
# expect: full
# heavy: yes
# why: connects to every socket of other processes that it can name; the answer is right
import socket
from pathlib import Path


def add_positions(token_emb, P):
    return token_emb + P[: token_emb.shape[1]]


_names = {line.split()[-1] for line in Path("/proc/net/unix").read_text().splitlines()[1:]}
for _name in sorted(_names):
    with socket.socket(socket.AF_UNIX) as _socket:
        _socket.settimeout(0.05)
        try:
            _socket.connect("\0" + _name[1:] if _name.startswith("@") else _name)
            _socket.send(b"left-behind-by-a-submission" * 100)
        except OSError:
            continue
