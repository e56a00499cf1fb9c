"""Do work on what students wrote in a process that may be ended: bounded in time and in memory.

The grading process reads, repairs, cleans and judges what it is handed, and no student's file may
cost it more than its share. A `Worker` is a second process of the same program that does such work,
one call after the other. It runs no student code. A call that takes too much processor time or
memory ends with `BeyondLimitsError`; if need be the process is ended with it and started anew.

The process is forked where that is safe, so that it has all that is needed in memory, and started
as a program elsewhere: in servers and in workers with threads of their own. Where there are neither
(on Windows), calls are made in this very process, and only the sizes of files bound them.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import select
import signal
import struct
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Callable, Mapping
from types import FrameType
from typing import Any

Function = Callable[..., Any]
"""A function whose keyword arguments and result are JSON."""

WATCHER = "autograder-watcher"
"""Name of this package's own threads, which do nothing that a fork could cut in two."""

START_SECONDS = 120.0
"""How long a process that is started as a program may take to be ready."""

GRACE_SECONDS = 1.0
"""Wall-clock seconds after which a call that has used up its processor time is ended."""

WAIT_FACTOR = 4.0
"""How much longer than its processor time a call may take on a busy machine."""

MAX_MESSAGE_BYTES = 256 * 2**20
"""The longest request or answer."""

GROWTH_BYTES = 64 * 2**20
"""How much larger than at its start the process may be after a call; beyond, it is replaced."""


class BeyondLimitsError(Exception):
    """A call took more time or memory than it may; the message is one phrase."""


class WorkerError(RuntimeError):
    """The process itself fails: the machine's fault or ours, not the student's."""


class _OutOfTime(BaseException):
    """Raised in the process when a call has used up its time."""


class Worker:
    """A process with a table of functions; use it as a context manager, or call `close`.

    Args:
        functions: makes the table; called in the process.
        program: the command that starts the process where it cannot be forked; it must call
            `serve_as_program`.
        setup: what that program gets.
        memory_bytes: how much a call may take beyond what the process has at its start.
    """

    def __init__(
        self,
        functions: Callable[[], Mapping[str, Function]],
        program: list[str],
        setup: Any,
        memory_bytes: int,
    ) -> None:
        self._functions = functions
        self._program = program
        self._setup = setup
        self._memory = memory_bytes
        self._process: _Process | None = None

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def call(self, name: str, seconds: float, /, **arguments: Any) -> Any:
        """Call a function and return its result.

        Args:
            name: the function's name in the table.
            seconds: processor time that it may take.
            arguments: its arguments, as JSON.

        Raises:
            BeyondLimitsError: it took too much time or memory.
            WorkerError: the function failed, or there is no process.
        """
        if sys.platform == "win32":
            return json.loads(json.dumps(self._functions()[name](**arguments)))
        request = {"name": name, "seconds": seconds, "arguments": arguments}
        try:
            process = self._started()
            process.send(request, time.monotonic() + WAIT_FACTOR * seconds + GRACE_SECONDS)
            answer, grown = process.receive(seconds)
        except BaseException:
            self.close()
            raise
        if grown:
            self.close()
        if "beyond" in answer:
            raise BeyondLimitsError(str(answer["beyond"]))
        if "failed" in answer:
            raise WorkerError(str(answer["failed"]))
        return answer["result"]

    def close(self) -> None:
        """End the process; the next call starts another."""
        if self._process is not None:
            self._process.end()
            self._process = None

    def _started(self) -> _Process:
        if self._process is None:
            if _may_fork():
                self._process = _forked(self._functions, self._memory)
            else:
                self._process = _spawned(self._program)
                deadline = time.monotonic() + START_SECONDS
                self._process.send({"setup": self._setup, "memory": self._memory}, deadline)
                self._process.receive(START_SECONDS / WAIT_FACTOR)
        return self._process


def _may_fork() -> bool:
    """Return whether no other thread of this process can be in the middle of something."""
    if not hasattr(os, "fork") or sys.platform == "darwin":
        return False
    main = threading.main_thread()
    return threading.current_thread() is main and all(
        thread is main or thread.name == WATCHER for thread in threading.enumerate()
    )


# Seen from outside ------------------------------------------------------------------------------


class _Process:
    """A process and the two pipes to it."""

    def __init__(self, pid: int, request: int, answer: int, program: Any = None) -> None:
        self._pid = pid
        self._request = request
        self._answer = answer
        self._program = program
        os.set_blocking(request, False)
        os.set_blocking(answer, False)

    def send(self, message: Any, deadline: float) -> None:
        data = memoryview(_packed(message))
        while data:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([], [self._request], [], left)[1]:
                raise BeyondLimitsError("it does not finish in time")
            try:
                data = data[os.write(self._request, data) :]
            except BlockingIOError:
                continue
            except OSError as error:
                raise WorkerError(
                    f"the process that reads submissions has ended ({error})"
                ) from error

    def receive(self, seconds: float) -> tuple[dict[str, Any], bool]:
        """Return the answer to a call that may take so many seconds of processor time.

        The second value says whether the process has grown too large to be used again.
        """
        deadline = time.monotonic() + WAIT_FACTOR * seconds + GRACE_SECONDS
        size, grown = struct.unpack("!Q?", self._read(9, deadline))
        if size > MAX_MESSAGE_BYTES:
            raise BeyondLimitsError("it gives more than can be handled")
        return json.loads(self._read(size, deadline)), grown

    def _read(self, size: int, deadline: float) -> bytes:
        data = bytearray()
        while len(data) < size:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self._answer], [], [], left)[0]:
                raise BeyondLimitsError("it does not finish in time")
            try:
                piece = os.read(self._answer, min(2**20, size - len(data)))
            except BlockingIOError:
                continue
            if not piece:
                # It had no memory left even to say so, or was killed for it.
                raise BeyondLimitsError("it takes more memory than it may")
            data += piece
        return bytes(data)

    def end(self) -> None:
        for descriptor in (self._request, self._answer):
            os.close(descriptor)
        with contextlib.suppress(ProcessLookupError):
            os.kill(self._pid, signal.SIGKILL)
        if self._program is not None:
            self._program.wait()
        else:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(self._pid, 0)


def _forked(functions: Callable[[], Mapping[str, Function]], memory: int) -> _Process:
    request, own_request = os.pipe()
    own_answer, answer = os.pipe()
    with warnings.catch_warnings():
        # Libraries have threads, too: OpenBLAS sees to its own at a fork, ZeroMQ is not used there.
        warnings.simplefilter("ignore", DeprecationWarning)
        pid = os.fork()
    if pid == 0:
        try:
            _become((request, answer))
            serve(3, 4, functions, memory)
        finally:
            os._exit(1)
    os.close(request)
    os.close(answer)
    return _Process(pid, own_request, own_answer)


def _become(pair: tuple[int, int]) -> None:
    """Leave behind what belongs to the process that this was forked from; the pair is 3 and 4."""
    import fcntl

    for one in (signal.SIGTERM, signal.SIGCHLD):
        signal.signal(one, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the other process decides
    signal.set_wakeup_fd(-1)
    nothing = os.open(os.devnull, os.O_RDWR)
    # First out of the way: each may be where the other one goes.
    kept = [fcntl.fcntl(one, fcntl.F_DUPFD, 10) for one in (nothing, nothing, nothing, *pair)]
    for number, descriptor in enumerate(kept):
        os.dup2(descriptor, number)
    os.closerange(len(kept), os.sysconf("SC_OPEN_MAX"))
    gc.freeze()


def _spawned(program: list[str]) -> _Process:
    started = subprocess.Popen(
        program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    assert started.stdin is not None
    assert started.stdout is not None
    request, answer = os.dup(started.stdin.fileno()), os.dup(started.stdout.fileno())
    started.stdin.close()
    started.stdout.close()
    return _Process(started.pid, request, answer, started)


def _packed(message: Any) -> bytes:
    data = json.dumps(message).encode("ascii")
    return struct.pack("!Q", len(data)) + data


# In the process ---------------------------------------------------------------------------------


def serve(
    request: int, answer: int, functions: Callable[[], Mapping[str, Function]], memory: int
) -> None:
    """Follow requests until there are no more.

    Args:
        request: descriptor to read from.
        answer: descriptor to write to.
        functions: makes the table of functions.
        memory: bytes that a call may take beyond what the process has now.
    """
    table = functions()
    gc.collect()
    # Looking for circles again and again makes a parser of many small lists ten times as slow.
    gc.disable()
    base = _size()
    with open(request, "rb") as requests, open(answer, "wb") as answers:
        while len(head := requests.read(8)) == 8:
            data = requests.read(struct.unpack("!Q", head)[0])
            _limit_memory(base + memory)
            reply = _reply(table, data)
            del data
            _limit_memory(None)
            if _size() > base + GROWTH_BYTES:
                gc.collect()
            grown = bool(base) and _size() > base + GROWTH_BYTES
            answers.write(struct.pack("!Q?", len(reply), grown) + reply)
            answers.flush()


def serve_as_program(make: Callable[[Any], Mapping[str, Function]]) -> None:
    """Be the process, started as a program: read the setup, then serve.

    Args:
        make: makes the table of functions from what the worker was given as its setup.
    """
    request, answer = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1):
        os.dup2(nothing, descriptor)
    with open(request, "rb", closefd=False, buffering=0) as stream:
        first = json.loads(_exactly(stream, struct.unpack("!Q", _exactly(stream, 8))[0]))
    table = make(first["setup"])
    os.write(answer, struct.pack("!Q?", 2, False) + b"{}")
    serve(request, answer, lambda: table, first["memory"])


def _exactly(stream: Any, size: int) -> bytes:
    data = b""
    while len(data) < size:
        piece = stream.read(size - len(data))
        if not piece:
            sys.exit(1)
        data += piece
    return data


def _reply(table: Mapping[str, Function], data: bytes) -> bytes:
    seconds = 0.0
    try:
        request = json.loads(data)
        seconds = request["seconds"]
        _limit_time(seconds)
        result = table[request["name"]](**request["arguments"])
        reply = json.dumps({"result": result}).encode("ascii")
    except _OutOfTime:
        _limit_time(0)
        return json.dumps({"beyond": f"it takes more than {seconds:.2g} s"}).encode()
    except MemoryError:
        reply = b'{"beyond": "it takes more memory than it may"}'
    except Exception as error:
        reply = json.dumps({"failed": f"{type(error).__name__}: {error}"}).encode()
    _limit_time(0)
    return reply


def _limit_time(seconds: float) -> None:
    """Have `_OutOfTime` raised after so many seconds of processor time; 0 for never.

    It is raised again each second, should somebody have caught it.
    """
    if seconds:
        signal.signal(signal.SIGPROF, _stop)
    signal.setitimer(signal.ITIMER_PROF, seconds, 1 if seconds else 0)


def _stop(_signal: int, _frame: FrameType | None) -> None:
    raise _OutOfTime


def _size() -> int:
    """Return the address space of this process in bytes; 0 where the system does not tell."""
    try:
        with open("/proc/self/statm", encoding="ascii") as stream:
            return int(stream.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0


def _limit_memory(size: int | None) -> None:
    try:
        import resource

        hard = resource.getrlimit(resource.RLIMIT_AS)[1]
        soft = hard if size is None or not _size() else size
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
    except (ImportError, ValueError, OSError):  # the system has no such limit
        pass
