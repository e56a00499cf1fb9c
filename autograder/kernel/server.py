"""Fork the kernels of one submission, count what they take, end them (server in a sandbox).

The server is told what to do by one JSON object a line on its standard input:

* ``{"start": {"connection": ..., "cwd": ..., "env": {...}, "limits": {...}}}`` forks a kernel;
* ``{"end": true}`` ends the kernel and everything else in the sandbox.

It answers with one JSON object a line on standard output: ``{"ready": true}`` at first,
``{"started": true}``, ``{"ended": reason}`` when a kernel is gone, whoever ended it. Its last
answer may be ``{"closed": reason}``, if it cannot get into the sandbox, or ``{"failed": reason}``.
What kernels have to say until they run their first cell is in the file on standard error.

While a kernel runs, the processes and the memory of all that runs in the sandbox are counted, since
resource limits hold for one process only.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import sys
import time
import traceback
from pathlib import Path
from typing import Any

from autograder.kernel.confine import set_dumpable
from autograder.kernel.start import how_it_ended

TICK = 0.1
"""Seconds between two looks at what runs in the sandbox."""

MAX_SCRATCH_ENTRIES, MAX_SCRATCH_BYTES, MAX_SCRATCH_DEPTH = 100, 2**20, 5
"""What may be in the folder of the kernels' connections, which is on the grader's disk."""


def answer(**message: Any) -> None:
    """Tell the grading process something."""
    os.write(1, json.dumps(message).encode() + b"\n")


class Server:
    """The process inside a sandbox that forks and ends its kernels."""

    def __init__(self, scratch: Path, processes: int, memory: int) -> None:
        self._scratch = scratch
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
            except Exception:
                traceback.print_exc()
                sys.stderr.flush()
            finally:
                os._exit(1)
        self._kernel = child
        answer(started=True)

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

    def _count(self) -> None:
        """End the kernel if all that runs in the sandbox takes more than it may."""
        running = pages = 0
        for pid in os.listdir("/proc"):
            try:
                if not pid.isdigit() or pid == "1":
                    continue
                resident, shared = Path("/proc", pid, "statm").read_text().split()[1:3]
                running += resident != "0"  # an ended process that nobody has waited for has none
                pages += int(resident) - int(shared)
            except (OSError, ValueError):
                continue
        if running > self._processes:
            self._end(f"it started more than {self._processes} processes")
            return
        if pages * os.sysconf("SC_PAGE_SIZE") > self._memory:
            self._end(f"it used more than {self._memory // 2**20} MiB of memory")
            return
        if not _is_modest(self._scratch):
            self._end("it wrote into the folder of its own connections")


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


def _is_modest(scratch: Path) -> bool:
    """Whether there is not more in ``scratch`` than kernels put there; looks at little more."""
    size = entries = 0
    folders = [(os.fspath(scratch), 0)]
    while folders:
        folder, depth = folders.pop()
        try:
            with os.scandir(folder) as found:
                for entry in found:
                    entries += 1
                    size += entry.stat(follow_symlinks=False).st_size
                    if entries > MAX_SCRATCH_ENTRIES or size > MAX_SCRATCH_BYTES:
                        return False
                    if entry.is_dir(follow_symlinks=False):
                        if depth == MAX_SCRATCH_DEPTH:
                            return False
                        folders.append((entry.path, depth + 1))
        except FileNotFoundError:  # it is gone already
            continue
        except OSError:  # locked
            return False
    return True


def _become_kernel(connection: str, cwd: str, env: dict[str, str], limits: dict[str, int]) -> None:
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
    run_kernel(connection, limits)
