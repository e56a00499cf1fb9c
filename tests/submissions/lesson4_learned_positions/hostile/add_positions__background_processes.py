# question: add_positions
# expect: full
# heavy: yes
# why: leaves processes behind in sessions of their own; the answer is right
import os
import subprocess
import sys
import time


def add_positions(token_emb, P):
    return token_emb + P[: token_emb.shape[1]]


_mark = "left-behind-by-a-submission"
_forever = "import time, signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(3600)"
subprocess.Popen([sys.executable, "-c", _forever, _mark], start_new_session=True)
os.system(f"nohup {sys.executable} -c '{_forever}' {_mark} >/dev/null 2>&1 &")
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.closerange(0, 1024)
        time.sleep(3600)
    os._exit(0)
