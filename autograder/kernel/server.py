"""Fork the kernels of one submission, count what they take, end them (server in a sandbox).

The server is told what to do by one JSON object a line on its standard input:

* ``{"start": {"connection": {...}, "env": {...}, "limits": {...}}}`` forks a kernel, in a new home;
* ``{"end": true}`` ends the kernel and everything else in the sandbox.

It answers with one JSON object a line on standard output: ``{"ready": true}`` at first,
``{"started": place}`` with what the paths of the kernel's sockets begin with,
``{"ended": reason}`` when a kernel is gone, whoever ended it. Its last answer may be
``{"closed": reason}``, if it cannot get into the sandbox, or ``{"failed": reason}``. What kernels
have to say until they run their first cell is in the file on standard error.

While a kernel runs, all that runs in the sandbox is counted (see `autograder.kernel.usage`).
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import sys
import tempfile
import time
import traceback
from pathlib import Path
from typing import Any

from autograder.kernel.confine import set_dumpable
from autograder.kernel.removal import empty_folder, remove_tree
from autograder.kernel.start import how_it_ended
from autograder.kernel.system_calls import refuse_system_calls
from autograder.kernel.usage import excess, more_than_half_full

TICK = 0.1
"""Seconds between two looks at what runs in the sandbox."""

CLEANING_SECONDS = 5.0
"""Seconds for removing what a kernel left; a sandbox that takes longer is given up."""

SHARED_FOLDERS = (Path("/tmp"), Path("/dev/shm"))
"""Folders in memory that all of a submission's notebooks use; their homes are in the first."""


def answer(**message: Any) -> None:
    """Tell the grading process something."""
    os.write(1, json.dumps(message).encode() + b"\n")


class Server:
    """The process inside a sandbox that forks and ends its kernels."""

    def __init__(self, work: Path, sockets: Path, processes: int, memory: int) -> None:
        """Prepare to serve.

        Args:
            work: the student's folder, in memory.
            sockets: the folder of the kernels' sockets, in memory.
            processes: processes that a kernel may have.
            memory: bytes that they may take together.
        """
        self._work = work
        self._sockets = sockets
        self._home: Path | None = None
        self._processes = processes
        self._memory = memory
        self._kernel: int | None = None

    def serve(self) -> None:
        """Follow the requests on standard input until it is closed."""
        answer(ready=True)
        buffer = b""
        while True:
            readable, _, _ = select.select([0], [], [], TICK if self._kernel else None)
            if readable:
                data = os.read(0, 65536)
                if not data:
                    return
                buffer += data
                *lines, buffer = buffer.split(b"\n")
                for line in lines:
                    self._follow(json.loads(line))
            self._reap()
            if self._kernel is None:
                continue
            in_memory = (*SHARED_FOLDERS, self._work, self._sockets)
            if reason := excess(self._processes, self._memory, in_memory):
                self._end(reason)

    def _follow(self, request: dict[str, Any]) -> None:
        if "start" in request:
            self._start(**request["start"])
        elif "end" in request:
            self._end("it was ended")

    def _start(
        self, connection: dict[str, Any], env: dict[str, str], limits: dict[str, int]
    ) -> None:
        folder = Path(tempfile.mkdtemp(prefix="k", dir=self._sockets))
        file, place = folder / "c.json", str(folder / "s")
        file.write_text(json.dumps({**connection, "ip": place}))
        self._home = Path(tempfile.mkdtemp(prefix="home-", dir=SHARED_FOLDERS[0]))
        env = {**env, **home_variables(self._home)}
        child = os.fork()
        if child == 0:
            try:
                _become_kernel(str(file), self._work, env, limits)
            except Exception:
                traceback.print_exc()
                sys.stderr.flush()
            finally:
                os._exit(1)
        self._kernel = child
        answer(started=place)

    def _reap(self) -> None:
        """Take note of ended processes; orphans of the kernel's are ours to reap."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            if pid == self._kernel:
                self._kernel = None
                self._end(how_it_ended(os.waitstatus_to_exitcode(status)))

    def _end(self, reason: str) -> None:
        """End everything in the sandbox but this process and the first.

        Raises:
            OSError: that cannot be had.
        """
        _kill_all()
        deadline = time.monotonic() + 5
        while True:
            try:
                pid, _ = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                break
            if pid == 0 and time.monotonic() > deadline:
                raise TimeoutError("the processes in the sandbox do not end")
            if pid == 0:
                time.sleep(0.001)
        self._kernel = None
        answer(ended=reason)
        self._clean()

    def _clean(self) -> None:
        """Remove what an ended kernel left where the next one starts.

        Raises:
            OSError: it cannot be had in time.
        """
        for folder in (self._sockets, *filter(more_than_half_full, SHARED_FOLDERS)):
            if not empty_folder(folder, CLEANING_SECONDS):
                raise TimeoutError(f"{folder} cannot be emptied")
        if self._home is not None and not remove_tree(self._home, CLEANING_SECONDS):
            raise TimeoutError(f"{self._home} cannot be removed")


def _kill_all() -> None:
    """Kill every process in the sandbox that can be killed."""
    if os.getpid() == 1:
        with contextlib.suppress(ProcessLookupError):
            os.kill(-1, signal.SIGKILL)
    elif os.fork() == 0:  # a child is among them
        try:
            if os.readlink("/proc/self") == str(os.getpid()):  # as it is in a sandbox alone
                os.kill(-1, signal.SIGKILL)
        finally:
            os._exit(0)


def home_variables(home: Path) -> dict[str, str]:
    """Return the environment variables that name a kernel's home and what is in it."""
    return {
        "HOME": str(home),
        "IPYTHONDIR": str(home / ".ipython"),
        "MPLCONFIGDIR": str(home / ".matplotlib"),
    }


def _become_kernel(connection: str, cwd: Path, env: dict[str, str], limits: dict[str, int]) -> None:
    import random

    import numpy as np

    from autograder.kernel.start import run_kernel

    os.setsid()
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1):
        os.dup2(nothing, descriptor)
    set_dumpable(True)
    os.nice(5)
    os.environ.clear()
    os.environ.update(env)
    os.chdir(cwd)
    random.seed()
    np.random.seed()  # noqa: NPY002  the global state was copied by the fork
    refuse_system_calls()
    run_kernel(connection, limits)
