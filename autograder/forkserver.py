"""Fork a kernel per notebook from one process that has imported everything once.

Runs inside the sandbox as its first process, so that whatever a notebook leaves behind is its child
and can be ended. It is told what to do by one JSON object a line on standard input:

* ``{"start": {"connection": ..., "cwd": ..., "env": {...}, "limits": {...}}}`` forks a kernel;
* ``{"end": true}`` ends the kernel and everything else in the sandbox.

It answers with one JSON object a line on standard output: ``{"ready": true}`` at first,
``{"started": true}``, ``{"ended": reason}`` when a kernel is gone, whoever ended it.

While a kernel runs, the processes and the memory of all that runs in the sandbox are counted, since
resource limits hold for one process only.
"""

from __future__ import annotations

import ctypes
import importlib
import json
import os
import select
import shutil
import signal
import sys
import time
from pathlib import Path
from typing import Any

TICK = 0.1
"""Seconds between two looks at what runs in the sandbox."""

PR_SET_DUMPABLE = 4
"""The ``prctl`` option that decides whether others of the same user may read a process's memory."""


def _dumpable(allowed: bool) -> None:
    ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, int(allowed), 0, 0, 0)


def _answer(**message: Any) -> None:
    os.write(1, json.dumps(message).encode() + b"\n")


def _import_everything() -> None:
    import autograder.probe  # noqa: F401  before student code can get in its way

    # Not Matplotlib's inline backend: it sets itself up in the shell that imports it.
    for name in ("ipykernel.kernelapp", "ipykernel.ipkernel", "matplotlib.pyplot"):
        importlib.import_module(name)


class Server:
    """The one process of the sandbox that outlives a kernel."""

    def __init__(self, scratch: Path, processes: int, memory: int) -> None:
        self._scratch = scratch
        self._processes = processes
        self._memory = memory
        self._kernel: int | None = None

    def serve(self) -> None:
        """Follow the requests on standard input until it is closed."""
        _answer(ready=True)
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
            if self._kernel is not None:
                self._count()

    def _follow(self, request: dict[str, Any]) -> None:
        if "start" in request:
            self._start(**request["start"])
        elif "end" in request:
            self._end("it was ended")

    def _start(
        self, connection: str, cwd: str, env: dict[str, str], limits: dict[str, int]
    ) -> None:
        child = os.fork()
        if child == 0:
            try:
                _become_kernel(connection, cwd, env, limits)
            finally:
                os._exit(1)
        self._kernel = child
        _answer(started=True)

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
                self._end(_how_it_ended(status))

    def _end(self, reason: str) -> None:
        """End everything in the sandbox but this process, the first."""
        deadline = time.monotonic() + 5
        while time.monotonic() < deadline:
            try:
                os.kill(-1, signal.SIGKILL)
                os.waitpid(-1, 0)
            except (ProcessLookupError, ChildProcessError):
                break
        self._kernel = None
        _answer(ended=reason)

    def _count(self) -> None:
        """End the kernel if all that runs in the sandbox takes more than it may."""
        pids = [name for name in os.listdir("/proc") if name.isdigit()]
        if len(pids) - 1 > self._processes:
            self._end(f"it started more than {self._processes} processes")
            return
        pages = 0
        for pid in pids:
            try:
                resident, shared = Path("/proc", pid, "statm").read_text().split()[1:3]
                pages += int(resident) - int(shared)
            except (OSError, ValueError):
                continue
        if pages * os.sysconf("SC_PAGE_SIZE") > self._memory:
            self._end(f"it used more than {self._memory // 2**20} MiB of memory")
            return
        size = files = 0
        for entry in self._scratch.rglob("*"):
            files += 1
            try:
                size += entry.lstat().st_size
            except OSError:
                continue
            if files > 100 or size > 2**20:
                self._end("it wrote into the folder of its own connections")
                return


def _how_it_ended(status: int) -> str:
    code = os.waitstatus_to_exitcode(status)
    if code >= 0:
        return "the kernel ended while it ran (an exit that skips Python)"
    name = signal.Signals(-code).name if -code in set(signal.Signals) else f"signal {-code}"
    return f"the kernel died while it ran ({name})"


def _become_kernel(connection: str, cwd: str, env: dict[str, str], limits: dict[str, int]) -> None:
    import random

    import numpy as np

    from autograder.kernel import run_kernel

    os.setsid()
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nothing, descriptor)
    _dumpable(True)
    os.nice(5)
    os.environ.clear()
    os.environ.update(env)
    os.chdir(cwd)
    random.seed()
    np.random.seed()  # noqa: NPY002  the global state was copied by the fork
    sys.argv = ["kernel"]
    run_kernel(connection, limits)


if __name__ == "__main__":
    _dumpable(False)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _import_everything()
    shutil.copytree("/submission", ".", dirs_exist_ok=True)
    Server(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])).serve()
