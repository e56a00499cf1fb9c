"""Fork kernels from one process that has imported everything once.

Two kinds of process run this module:

* the *template*, one for all grading processes of a command, outside any sandbox. It imports the
  recorder and the libraries and runs no student code. For each submission it is sent the process
  that holds an empty sandbox open and the two ends of a pipe, and forks a server that enters that
  sandbox;
* the *server*, one for each submission, inside the sandbox and without any privilege. It forks a
  kernel for each notebook and ends it with all that it started. Where a sandbox cannot be entered,
  the server is started as a program inside it, and imports everything itself.

A server is told what to do by one JSON object a line on its standard input:

* ``{"start": {"connection": ..., "cwd": ..., "env": {...}, "limits": {...}}}`` forks a kernel;
* ``{"end": true}`` ends the kernel and everything else in the sandbox.

It answers with one JSON object a line on standard output: ``{"ready": true}`` at first,
``{"started": true}``, ``{"ended": reason}`` when a kernel is gone, whoever ended it.

While a kernel runs, the processes and the memory of all that runs in the sandbox are counted, since
resource limits hold for one process only.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import importlib
import io
import json
import os
import select
import shutil
import signal
import socket
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


NEEDED = """
    autograder.kernel ipykernel.debugger ipykernel.iostream ipykernel.ipkernel ipykernel.kernelapp
    IPython.core.completerlib IPython.core.debugger IPython.core.logger IPython.core.oinspect
    IPython.extensions.storemagic matplotlib.backends.backend_agg matplotlib.pyplot
    PIL.PngImagePlugin pygments.formatters.terminal256 stack_data tornado.platform.asyncio
"""
"""The modules that a kernel imports on its way to a first figure and a first error.

Matplotlib's inline backend is not one of them: it sets itself up in the shell that imports it.
"""


def _import_everything() -> None:
    import autograder.probe  # noqa: F401  before student code can get in its way

    for name in NEEDED.split():
        importlib.import_module(name)


def _rehearse() -> None:
    """Draw a figure and show an error, so that no kernel has to fill the libraries' caches.

    The figure is not pyplot's, which would choose its backend here.
    """
    from IPython.core.ultratb import VerboseTB
    from matplotlib.figure import Figure

    figure = Figure()
    figure.subplots().plot([0, 1])
    figure.savefig(io.BytesIO(), format="png")
    tracebacks: Any = VerboseTB()
    try:
        raise ValueError
    except ValueError:
        tracebacks.structured_traceback(*sys.exc_info())


class Server:
    """The process inside a sandbox that forks and ends its kernels."""

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
        running = pages = 0
        for pid in os.listdir("/proc"):
            try:
                if not pid.isdigit() or pid in ("1", str(os.getpid())):
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
    run_kernel(connection, limits)


NAMESPACES = ("ipc", "uts", "net", "cgroup", "pid", "mnt")
"""The namespaces of a sandbox that belong to the outer of its two user namespaces."""

NS_GET_PARENT = 0xB702
"""The ``ioctl`` that opens the parent of a user namespace."""

PR_CAPBSET_DROP, PR_SET_NO_NEW_PRIVS, PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL = 24, 38, 47, 4
CAPABILITY_VERSION_3 = 0x20080522


def enter(holder: int) -> None:
    """Move this process into the sandbox that the process ``holder`` keeps open.

    Children are in all of its namespaces; this process is in all but that of processes. The inner
    user namespace, in which no further one can be made, comes last: from inside it the others,
    which belong to the outer one, cannot be entered.

    Raises:
        OSError: the kernel refuses.
    """
    libc = ctypes.CDLL(None, use_errno=True)

    def join(name: str, descriptor: int) -> None:
        if libc.setns(descriptor, 0):
            raise OSError(ctypes.get_errno(), f"the sandbox's namespace {name!r} is closed")

    inner = os.open(f"/proc/{holder}/ns/user", os.O_RDONLY)
    others = {name: os.open(f"/proc/{holder}/ns/{name}", os.O_RDONLY) for name in NAMESPACES}
    outer = libc.ioctl(inner, NS_GET_PARENT)
    if outer >= 0 and os.fstat(outer).st_ino != os.stat("/proc/self/ns/user").st_ino:
        join("outer user", outer)
    for name, descriptor in others.items():
        join(name, descriptor)
    join("user", inner)


def give_up_privileges() -> None:
    """Drop all capabilities for good, for this process and what it will execute.

    Raises:
        OSError: some are left.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    for capability in range(64):
        libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)
    libc.prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0)
    libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    header = (ctypes.c_uint32 * 2)(CAPABILITY_VERSION_3, 0)
    libc.capset(header, (ctypes.c_uint32 * 6)())
    status = Path("/proc/self/status").read_text()
    left = [line for line in status.split("\n") if line.startswith("Cap")]
    if any(int(line.split()[1], 16) for line in left) or "NoNewPrivs:\t1" not in status:
        raise OSError(f"privileges are left in the sandbox: {left}")


def _serve(scratch: str, processes: int, memory: int) -> None:
    _dumpable(False)
    os.chdir("/work")
    shutil.copytree("/submission", ".", dirs_exist_ok=True)
    Server(Path(scratch), processes, memory).serve()


def _serve_sandbox(
    holder: int, scratch: str, processes: int, memory: int, pipe: tuple[int, int]
) -> None:
    """Enter a sandbox and serve it; never returns."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    try:
        enter(holder)
        server = os.fork()
        if server:  # the child alone is inside the namespace of processes
            os.closerange(0, 1024)
            os.waitpid(server, 0)
            os._exit(0)
        os.setsid()
        os.dup2(pipe[0], 0)
        os.dup2(pipe[1], 1)
        os.closerange(3, 1024)
        give_up_privileges()
        _serve(scratch, processes, memory)
    except BaseException as error:
        failed = {"failed": f"{type(error).__name__}: {error}"}
        for descriptor in (pipe[1], 1):  # the pipe is one or the other, closed or not
            with contextlib.suppress(OSError):
                os.write(descriptor, json.dumps(failed).encode() + b"\n")
    finally:
        os._exit(0)


def run_template(control: socket.socket) -> None:
    """Fork servers as asked for on ``control`` until its other end is closed."""
    while True:
        data, descriptors, _, _ = socket.recv_fds(control, 65536, 2)
        if not data:
            return
        request = json.loads(data)
        if os.fork() == 0:
            control.close()
            _serve_sandbox(**request, pipe=(descriptors[0], descriptors[1]))
        for descriptor in descriptors:
            os.close(descriptor)


def main(arguments: list[str]) -> None:
    """Be the template, given its end of a socket, or the server of the sandbox that this is in."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _import_everything()
    _rehearse()
    # What is there now lives as long as the kernels do. A collection in one of them would only
    # write into pages that all of them share, and so copy them.
    gc.collect()
    gc.freeze()
    if arguments[0] == "--inside":
        scratch, processes, memory = arguments[1:]
        _serve(scratch, int(processes), int(memory))
    else:
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for what is forked here
        run_template(socket.socket(fileno=int(arguments[0])))


if __name__ == "__main__":
    main(sys.argv[1:])
