"""Limits on what all of a notebook takes hold, whatever the notebook does to who watches it."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from autograder.execution import sandbox
from autograder.execution.client import CannotEnterError, SandboxClient
from autograder.execution.runs import CellRun, End
from autograder.execution.sandbox import Sandbox, SandboxPolicy

pytestmark = pytest.mark.sandbox

STOP_ALL = """
import os, signal
everybody = {-1, os.getppid(), *(int(name) for name in os.listdir("/proc") if name.isdigit())}
for pid in everybody - {0, os.getpid()}:  # where the parent is not to be seen its number is 0
    try:
        os.kill(pid, signal.SIGSTOP)
    except OSError:
        pass
"""
"""Stops every process that a notebook may signal, but itself."""

TOO_MUCH = {
    "processes": (
        "import subprocess, time\n"
        "many = [subprocess.Popen(['sleep', '60']) for _ in range(70)]\ntime.sleep(50)",
        "more than 64 processes",
    ),
    "threads": (
        "import threading, time\n"
        "threading.stack_size(2**16)\n"
        "for _ in range(1200): threading.Thread(target=time.sleep, args=(50,)).start()\n"
        "time.sleep(50)",
        "more than 1024 threads",
    ),
    "memory": (
        "import time\nheld = bytearray(400 * 2**20)\ntime.sleep(50)",
        "more than 300 MiB of memory",
    ),
    "memory of several processes": (
        "import os, time\n"
        "for _ in range(3):\n"
        "    if os.fork() == 0:\n"
        "        held = bytearray(130 * 2**20)\n"
        "        time.sleep(50)\n"
        "time.sleep(50)",
        "more than 300 MiB of memory",
    ),
    "shared memory": (
        "import mmap, time\n"
        "held = [mmap.mmap(-1, 16 * 2**20) for _ in range(20)]\n"
        "for part in held: part.write(bytes(len(part)))\ntime.sleep(50)",
        "more than 300 MiB of memory",
    ),
    "shared memory of which little is mapped": (
        "import ctypes, mmap, time\n"
        "libc = ctypes.CDLL(None)\n"
        "libc.mmap.restype = ctypes.c_void_p\n"
        "size = 16 * 2**20\n"
        "for _ in range(25):\n"
        "    place = libc.mmap(None, ctypes.c_size_t(size), 3, 0x21, -1, ctypes.c_long(0))\n"
        "    ctypes.memset(ctypes.c_void_p(place), 1, size)\n"
        "    libc.munmap(ctypes.c_void_p(place + 4096), ctypes.c_size_t(size - 4096))\n"
        "time.sleep(50)",
        "more than 300 MiB of memory",
    ),
    "files": (
        "import os, time\n"
        "for name in range(60_000):\n"
        "    os.mkdir(f'/tmp/{name}'); os.mkdir(f'/dev/shm/{name}')\ntime.sleep(50)",
        "more than 100,000 files",
    ),
}
"""What takes too much, and what is said then."""

REFUSED = {
    "a file in memory": "import os\nos.memfd_create('held')",
    "System V's memory": (
        "import ctypes, os\nlibc = ctypes.CDLL(None, use_errno=True)\n"
        "if libc.shmget(0, 2**20, 0o1600) < 0: raise OSError(ctypes.get_errno(), 'shmget')"
    ),
    "a key": (
        "import ctypes, os\nlibc = ctypes.CDLL(None, use_errno=True)\n"
        "if libc.syscall(248 if os.uname().machine == 'x86_64' else 217, b'user', b'k', b'v', 1, "
        "-3) < 0: raise OSError(ctypes.get_errno(), 'add_key')"
    ),
    "a large shared mapping": "import mmap\nmmap.mmap(-1, 17 * 2**20)",
    "a mapping of zeros": "import mmap\nmmap.mmap(open('/dev/zero', 'r+b').fileno(), 2**20)",
    "the folder of sockets": (
        "import glob\n[folder] = glob.glob('/sockets*/k*')\n"
        "open(folder + '/x', 'wb', 0).write(bytes(2**20))\n"
        "open(folder + '/y', 'wb', 0).write(bytes(2**20))"
    ),
}
"""What the system refuses in a sandbox."""


@pytest.fixture
def settings() -> SandboxPolicy:
    """Limits that are soon reached, and a log of its own."""
    found = SandboxPolicy(memory_bytes=300 * 2**20)
    found.log = logging.getLogger("test_limits")
    return found


@pytest.fixture(params=["forked", "inside"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The two ways in which a sandbox has its server."""
    if request.param == "inside":

        def refuse(*_: object) -> None:
            raise CannotEnterError("PermissionError: not here")

        monkeypatch.setattr(SandboxClient, "_enter", refuse)
        sandbox._warn_once.cache_clear()
    return str(request.param)


def run(opened: Sandbox, *cells: str, seconds: float = 60) -> list[CellRun]:
    session = opened.start(10**7)
    try:
        return [session.run(cell, seconds) for cell in cells]
    finally:
        session.close()


def error_of(run: CellRun) -> str:
    return " ".join(o.ename for o in run.outputs if o.output_type == "error")


@pytest.mark.slow
@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("kind", TOO_MUCH)
def test_a_limit_holds_with_all_stopped_that_can_be(kind, settings, tmp_path):
    code, reason = TOO_MUCH[kind]
    with settings.opened(tmp_path) as opened:
        stopped, done = run(opened, STOP_ALL, code)
        [after] = run(opened, "open('/tmp/room', 'wb').write(bytes(2**20)); print('alive')")
    assert stopped.end is End.DONE
    assert done.end in (End.DIED, End.HUNG)
    assert reason in done.reason
    assert after.outputs[0].text == "alive\n"


@pytest.mark.usefixtures("way")
def test_what_no_limit_would_see_is_refused(settings, tmp_path):
    with settings.opened(tmp_path) as opened:
        done = dict(zip(REFUSED, run(opened, *REFUSED.values()), strict=True))
    assert {kind: error_of(one) for kind, one in done.items()} == dict.fromkeys(REFUSED, "OSError")


def test_what_multiprocessing_shares_is_there(settings, tmp_path):
    cells = [
        "from multiprocessing import Pool, RawArray, shared_memory\n"
        "held = RawArray('d', 2**20); held[5] = 2.0; print(held[5])",
        "part = shared_memory.SharedMemory(create=True, size=2**20)\n"
        "part.buf[0] = 3; print(part.buf[0]); part.close(); part.unlink()",
        "import mmap\nwith mmap.mmap(-1, 2**20) as part: part[:1] = b'4'; print(part[:1])",
    ]
    with settings.opened(tmp_path) as opened:
        texts = [one.outputs[0].text for one in run(opened, *cells)]
    assert texts == ["2.0\n", "3\n", "b'4'\n"]


def test_each_notebook_has_a_new_home_and_shares_the_folder(settings, tmp_path):
    leave = """
import os
from pathlib import Path
startup = Path.home() / ".ipython" / "profile_default" / "startup"
startup.mkdir(parents=True, exist_ok=True)
(startup / "00.py").write_text("import time; time.sleep(100)")
Path("shared.txt").write_text("in the folder")
Path("/tmp/shared.txt").write_text("in /tmp")
print(Path.home(), os.environ["IPYTHONDIR"].startswith(os.environ["HOME"]))
"""
    look = """
from pathlib import Path
print(Path("shared.txt").read_text(), Path("/tmp/shared.txt").read_text(), sep=", ")
print(Path.home(), [p.name for p in Path("/tmp").glob("home-*")])
"""
    with settings.opened(tmp_path) as opened:
        [first] = run(opened, leave)
        [second] = run(opened, look)
    home, inside = first.outputs[0].text.split()
    assert inside == "True"
    shared, homes = second.outputs[0].text.splitlines()
    assert shared == "in the folder, in /tmp"
    other, names = homes.split(" ", 1)
    assert other != home
    assert names == str([Path(other).name])


@pytest.mark.usefixtures("way")
def test_what_a_notebook_fills_is_empty_for_the_next(settings, tmp_path):
    fill = """
import glob, os
def full(name):
    os.chdir(name)
    try:
        with open("fill", "wb", 0) as file:
            while file.write(bytes(2**20)): pass
    except OSError:
        pass
    for depth in range(2000):
        try:
            os.mkdir("d"); os.chdir("d")
        except OSError:
            break
    os.chmod(".", 0)
for folder in ("/tmp", "/dev/shm", *glob.glob("/sockets*/k*")):
    full(folder)
"""
    settings.disk_bytes = settings.file_bytes = 2**24
    with settings.opened(tmp_path) as opened:
        run(opened, "open('kept.txt', 'w').write('kept')", fill)
        again = opened.start(10**7)
        try:
            done = again.run("print(open('kept.txt').read(), open('/tmp/x', 'w').write('x'))", 60)
        finally:
            again.close()
    assert done.outputs[0].text == "kept 1\n"


def test_no_more_reaches_the_graders_disk_than_nothing(settings, tmp_path, monkeypatch):
    """Also the sockets are in memory of a limited size."""
    made: list[Any] = []
    monkeypatch.setattr(sandbox, "make_folder", lambda: made.append(1))
    with settings.opened(tmp_path) as opened:
        [done] = run(opened, "1")
    assert done.end is End.DONE
    assert made == []
