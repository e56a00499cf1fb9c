"""Fork kernels from one process that has imported everything once.

Two kinds of process run this module:

* the *template*, one for all grading processes of a command, outside any sandbox. It imports the
  recorder and the libraries and runs no student code. For each submission it is sent the process
  that holds an empty sandbox open, the two ends of a pipe and a file for last words, and forks a
  server that enters that sandbox;
* the *server*, one for each submission, inside the sandbox and without any privilege. It forks a
  kernel for each notebook and ends it with all that it started. No process of a kernel's can reach
  it: it is in all of the sandbox's namespaces but that of processes. Where a sandbox cannot be
  entered, the server is started as a program inside it, imports everything itself, and is the
  first process there, which the system protects from the others' signals.

A server is told what to do by one JSON object a line on its standard input:

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
import traceback
from pathlib import Path
from typing import Any

from autograder.kernel.start import how_it_ended

TICK = 0.1
"""Seconds between two looks at what runs in the sandbox."""

MAX_SCRATCH_ENTRIES, MAX_SCRATCH_BYTES, MAX_SCRATCH_DEPTH = 100, 2**20, 5
"""What may be in the folder of the kernels' connections, which is on the grader's disk."""

PR_SET_DUMPABLE = 4
"""The ``prctl`` option that decides whether others of the same user may read a process's memory."""


def _dumpable(allowed: bool) -> None:
    ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, int(allowed), 0, 0, 0)


def _answer(**message: Any) -> None:
    os.write(1, json.dumps(message).encode() + b"\n")


NEEDED = """
    autograder.kernel.start ipykernel.debugger ipykernel.iostream ipykernel.ipkernel
    ipykernel.kernelapp autograder.probe
    IPython.core.completerlib IPython.core.debugger IPython.core.logger IPython.core.oinspect
    IPython.extensions.storemagic matplotlib.backends.backend_agg matplotlib.pyplot
    PIL.PngImagePlugin pygments.formatters.terminal256 stack_data tornado.platform.asyncio
"""
"""The modules that a kernel imports on its way to a first figure and a first error.

Matplotlib's inline backend is not one of them: it sets itself up in the shell that imports it.
"""


def _import_everything() -> None:
    import autograder.kernel.probe  # noqa: F401  before student code can get in its way

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
            except Exception:
                traceback.print_exc()
                sys.stderr.flush()
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
        _answer(ended=reason)

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


def give_up_privileges(status: int) -> None:
    """Drop all capabilities for good, for this process and what it will execute.

    Args:
        status: this process's ``/proc/self/status``, opened where it is one of ``/proc``'s.

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
    text = os.pread(status, 65536, 0).decode()
    left = [line for line in text.split("\n") if line.startswith("Cap")]
    if any(int(line.split()[1], 16) for line in left) or "NoNewPrivs:\t1" not in text:
        raise OSError(f"privileges are left in the sandbox: {left}")


def _serve(scratch: str, processes: int, memory: int, files: str, work: str) -> None:
    _dumpable(False)
    os.chdir(work)
    shutil.copytree(files, ".", dirs_exist_ok=True)
    Server(Path(scratch), processes, memory).serve()


def _serve_sandbox(holder: int, arguments: dict[str, Any], descriptors: list[int]) -> None:
    """Enter a sandbox and serve it; never returns."""
    try:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        os.setsid()
        for number, descriptor in enumerate(descriptors):
            os.dup2(descriptor, number)
        os.closerange(3, 1024)
        status = os.open("/proc/self/status", os.O_RDONLY)
        try:
            enter(holder)
            give_up_privileges(status)
        except OSError as error:
            _answer(closed=f"{type(error).__name__}: {error}")
            os._exit(0)
        os.close(status)
        _serve(**arguments)
    except BaseException as error:
        with contextlib.suppress(OSError):
            _answer(failed=f"{type(error).__name__}: {error}")
    finally:
        os._exit(0)


def run_template(control: socket.socket, failure: str = "") -> None:
    """Fork servers as asked for on ``control`` until its other end is closed.

    Args:
        control: where requests come from, each with the two ends of a pipe and a file.
        failure: why none can be forked; every request is answered with it.
    """
    while True:
        data, descriptors, _, _ = socket.recv_fds(control, 65536, 3)
        if not data:
            return
        request = json.loads(data)
        if failure:
            with contextlib.suppress(OSError):
                os.write(descriptors[1], json.dumps({"closed": failure}).encode() + b"\n")
        elif os.fork() == 0:
            control.close()
            _serve_sandbox(**request, descriptors=list(descriptors))
        for descriptor in descriptors:
            os.close(descriptor)


def main(arguments: list[str]) -> None:
    """Be the template, given its end of a socket, or the server of the sandbox that this is in."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    inside = arguments[0] == "--inside"
    failure = ""
    try:
        _import_everything()
        _rehearse()
    except Exception as error:
        if inside:
            raise
        failure = f"{type(error).__name__}: {error}"
    # What is there now lives as long as the kernels do. A collection in one of them would only
    # write into pages that all of them share, and so copy them.
    gc.collect()
    gc.freeze()
    if inside:
        scratch, processes, memory, files, work = arguments[1:]
        _serve(scratch, int(processes), int(memory), files, work)
    else:
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for what is forked here
        run_template(socket.socket(fileno=int(arguments[0])), failure)


if __name__ == "__main__":
    main(sys.argv[1:])
