"""Run code cells in a kernel that may misbehave, from a process that must not.

A `Session` owns one kernel process and talks the Jupyter protocol with it. Whatever the kernel
sends is bounded in size and checked for form before it is looked at; whatever it does ends at a
deadline. It is written against ``jupyter_client``'s channels and session; nbclient's loop is not
used because it trusts the kernel: it keeps all output in memory, lets one cell rewrite the outputs
of another, and gives up a notebook when the kernel dies.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import secrets
import signal
import subprocess
import sys
import tempfile
import time
import weakref
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Protocol

import nbformat
import zmq
from jupyter_client import BlockingKernelClient
from jupyter_client.connect import write_connection_file
from nbformat.notebooknode import NotebookNode

import autograder
from autograder.errors import KernelStartError
from autograder.evidence import MIME
from autograder.execution.runs import CellRun, End
from autograder.execution.scratch import remove_tree
from autograder.kernel.start import DIED, how_it_ended

START_TIMEOUT = 60.0
"""Seconds for a kernel to answer its first request, on a busy machine too."""

WORDS_SHOWN = 500
"""Characters of a process's last words that an error's text has."""

INTERRUPT_GRACE = 1.0
"""Seconds for an interrupted cell to stop before its kernel is killed."""

RECONNECT_MS = 5
"""Milliseconds between two tries to connect to a kernel that is still opening its sockets."""

IDLE_GRACE = 2.0
"""Seconds after the reply in which the last outputs of a cell must have come."""

CUT_OFF_GRACE = 1.0
"""Seconds in which a kernel whose connection was lost may turn out to have ended."""

MAX_MESSAGE_BYTES = 128 * 2**20
"""The largest message that is read at all; a kernel that sends a larger one is cut off."""

MAX_FRAMES = 100
"""The parts of the longest message that is parsed."""

BRACKET_BYTES, COMMA_BYTES = 64, 48
"""What a list and an item of one take in memory, which are two bytes each in a message."""

MAX_NESTED_BYTES = 32 * 2**20
"""How much the lists in a message may take in memory for it to be parsed."""

ONE_TEXT = re.compile(rb'\{"name": ?"std(?:out|err)", ?"text": ?"(?:[^"\\]++|\\.)*+"\}', re.DOTALL)
"""The content of a message with a text that was printed, as a kernel writes it."""

EMPTY_BYTES = 1000
"""What the smallest message takes in memory."""

FLOODED_MESSAGE_BYTES = 2**16
"""The largest message that is parsed once a cell has sent too much."""

MAX_KEPT_BYTES = 128 * 2**20
"""How much of what a submission's cells send is kept at a time; the rest is dropped."""

RESERVE_BYTES = 2**18
"""How much evidence of a cell is kept all the same."""

MAX_GROWTH_BYTES = 192 * 2**20
"""By how much this process may grow while a cell runs; a cell that makes it grow more is stopped.

A message may have any number of parts, and what comes before the last is nowhere to be seen.
"""

MAX_SAME_DISPLAYS = 100
"""How many outputs with one display identifier can be redrawn."""

LOOK_AROUND = 0.1
"""Seconds in which messages are read before limits are looked at again."""


class LastWords:
    """A file in memory for what a process has to say about its end.

    It is for processes that run no student code, or none yet: nothing bounds what they write.
    """

    def __init__(self) -> None:
        # In memory where that can be had: a full disk must not silence who complains of it.
        in_memory = hasattr(os, "memfd_create")
        self._file: Any = (
            os.fdopen(os.memfd_create("last-words"), "w+b", buffering=0)
            if in_memory
            else tempfile.TemporaryFile(buffering=0)  # noqa: SIM115  closed in close()
        )

    def fileno(self) -> int:
        """Return the descriptor to write to."""
        found: int = self._file.fileno()
        return found

    def size(self) -> int:
        """Return how many bytes have been written."""
        found: int = self._file.seek(0, os.SEEK_END)  # where all who write go on
        return found

    def tail(self, since: int = 0) -> str:
        """Return the last of what was written, in one line of at most `WORDS_SHOWN` characters.

        Args:
            since: the size before which everything is old.
        """
        if self._file.closed:
            return ""
        start = max(since, self.size() - 4 * WORDS_SHOWN)
        self._file.seek(start)
        text = self._file.read(4 * WORDS_SHOWN).decode("utf-8", "replace")
        self.size()
        line = " ".join("".join(c if c.isprintable() else " " for c in text).split())
        return line if len(line) <= WORDS_SHOWN else f"… {line[-WORDS_SHOWN:]}"

    def close(self) -> None:
        """Forget it."""
        self._file.close()


def last_words(how: str, words: str) -> str:
    """Return how a process ended, and what it said."""
    return f"{how}; its last words: {words}" if words else f"{how}, without a word"


class KernelProcess(Protocol):
    """A started kernel process."""

    death: str
    """Why it ended, in words, once it has."""

    @property
    def alive(self) -> bool:
        """Whether it runs."""

    def kill(self) -> None:
        """End it and everything that it started."""

    def log_tail(self) -> str:
        """Return the last of what it wrote to its standard error before its first cell."""


def kernel_environment(home: Path, **more: str) -> dict[str, str]:
    """Return the environment of a kernel: a fixed few variables, nothing of the caller's secrets.

    Args:
        home: the kernel's home folder.
        more: further variables.
    """
    kept = ("PATH", "LANG", "LC_ALL", "SYSTEMROOT", "OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")
    env = {name: os.environ[name] for name in kept if name in os.environ}
    package = str(Path(autograder.__file__).resolve().parents[1])
    return {
        **env,
        "HOME": str(home),
        "IPYTHONDIR": str(home / ".ipython"),
        "MPLCONFIGDIR": str(home / ".matplotlib"),
        "MPLBACKEND": "module://matplotlib_inline.backend_inline",
        "OPENBLAS_NUM_THREADS": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONPATH": package,
        "PYTHONSAFEPATH": "1",
        **more,
    }


class OrdinaryKernel:
    """A kernel that is a child process of this one, with its rights.

    Args:
        connection: the connection file.
        env: the environment.
        cwd: the working folder.
        limits: resource limits, see `autograder.kernel.start.set_limits`.
    """

    def __init__(
        self,
        connection: Path,
        env: Mapping[str, str],
        cwd: Path,
        limits: Mapping[str, int] | None = None,
    ) -> None:
        command = [sys.executable, "-P", "-m", "autograder.kernel.start", str(connection)]
        self._words = LastWords()
        try:
            self._process = subprocess.Popen(
                [*command, json.dumps(dict(limits or {}))],
                cwd=cwd,
                env=dict(env),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=self._words.fileno(),
                start_new_session=True,
            )
        except BaseException:
            self._words.close()
            raise
        self.death = ""

    @property
    def alive(self) -> bool:
        """Whether it runs."""
        if not self.death and (code := self._process.poll()) is not None:
            self.death = how_it_ended(code)
        return not self.death

    def kill(self) -> None:
        """End it and what it started in its process group."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if hasattr(os, "killpg"):
                os.killpg(self._process.pid, signal.SIGKILL)
        with contextlib.suppress(ProcessLookupError):
            self._process.kill()
        self._process.wait()
        self._words.close()
        self.death = self.death or "it was ended"

    def log_tail(self) -> str:
        """Return the last of what it wrote to its standard error before its first cell."""
        return self._words.tail()


class Kept:
    """How much of what cells sent is kept, over all kernels of a submission."""

    def __init__(self) -> None:
        self._bytes = 0

    @property
    def left(self) -> int:
        """How many bytes more may be kept."""
        return max(0, MAX_KEPT_BYTES - self._bytes)

    def add(self, run: CellRun, size: int) -> None:
        """Count ``size`` bytes for as long as ``run`` is there."""
        self._bytes += size
        weakref.finalize(run, self._forget, size).atexit = False

    def _forget(self, size: int) -> None:
        self._bytes -= size


class Session:
    """One kernel process and the conversation with it.

    Use it as a context manager: the process and all it started are gone at the end.
    """

    def __init__(
        self,
        launch: Callable[[Path], KernelProcess],
        runtime: Path,
        *,
        output_bytes: int = 10 * 2**20,
        message_bytes: int = 8 * 2**20,
        start_timeout: float = START_TIMEOUT,
        kept: Kept | None = None,
    ) -> None:
        """Prepare a session.

        Args:
            launch: starts the kernel, given the path of its connection file.
            runtime: folder for that file and the Unix sockets; its path must be short.
            output_bytes: output after which a cell is stopped.
            message_bytes: the largest message that is parsed; larger ones only count as output.
            start_timeout: seconds for the kernel to answer its first request.
            kept: what is kept of other kernels' cells; they share one limit.
        """
        self._kept = kept or Kept()
        self._start_timeout = start_timeout
        self._message_bytes = message_bytes
        self._launch = launch
        self._runtime = runtime
        self._output_bytes = output_bytes
        self._process: KernelProcess | None = None
        self._client: Any = None
        self._folder: Path | None = None

    def __enter__(self) -> Session:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def start(self) -> None:
        """Start the kernel and wait until it answers.

        Raises:
            KernelStartError: it does not.
        """
        try:
            self._start()
        except OSError as error:
            self.close()
            raise KernelStartError(f"No kernel can be started: {error}") from error
        except BaseException:
            self.close()
            raise

    def _start(self) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="k", dir=self._runtime))
        connection = self._folder / "c.json"
        ipc = sys.platform != "win32"
        _, info = write_connection_file(
            str(connection),
            ip=str(self._folder / "s") if ipc else "127.0.0.1",
            transport="ipc" if ipc else "tcp",
            key=secrets.token_hex(16).encode(),
        )
        self._process = self._launch(connection)
        self._context = zmq.Context()
        self._context.setsockopt(zmq.MAXMSGSIZE, MAX_MESSAGE_BYTES)
        self._context.setsockopt(zmq.LINGER, 0)
        self._context.setsockopt(zmq.RECONNECT_IVL, RECONNECT_MS)
        client: Any = BlockingKernelClient(context=self._context)
        client.load_connection_info({**info, "key": info["key"]})
        client.start_channels(shell=True, iopub=True, stdin=False, hb=False, control=True)
        self._client = client
        self._monitors = [
            channel.socket.get_monitor_socket(zmq.EVENT_DISCONNECTED)
            for channel in (client.shell_channel, client.iopub_channel)
        ]
        self._wait_until_ready()

    def _wait_until_ready(self) -> None:
        """Wait for a reply and for a first message on the output channel (it may miss some)."""
        assert self._process is not None
        deadline = time.monotonic() + self._start_timeout
        replied = heard = False
        while not (replied and heard):
            self._client.kernel_info()
            ask_again = time.monotonic() + (0.2 if replied else 5)
            while time.monotonic() < ask_again and not (replied and heard):
                for channel, _ in self._receive(0.05):
                    replied |= channel == "shell"
                    heard |= channel == "iopub"
                if not self.alive:
                    how = self._process.death.removeprefix(DIED).strip(" ()")
                    raise KernelStartError(
                        "The kernel ended while starting: "
                        f"{last_words(how, self._process.log_tail())}"
                    )
            if time.monotonic() > deadline:
                raise KernelStartError(
                    "The kernel did not start: "
                    + last_words(
                        f"no answer within {self._start_timeout:g} s", self._process.log_tail()
                    )
                )

    @property
    def alive(self) -> bool:
        """Whether the kernel process runs."""
        return self._process is not None and self._process.alive

    def close(self) -> None:
        """End the kernel and everything that it started, and remove its sockets."""
        if self._client is not None:
            with contextlib.suppress(Exception):
                self._client.stop_channels()
            self._context.destroy(linger=0)
            self._client = None
        if self._process is not None:
            self._process.kill()
            self._process = None
        if self._folder is not None:
            remove_tree(self._folder)
            self._folder = None

    def run(self, code: str, timeout: float) -> CellRun:
        """Execute ``code`` for at most ``timeout`` seconds and return what came of it."""
        run = CellRun()
        collector = _Collector(run, self._output_bytes, 8 * self._message_bytes, self._kept.left)
        try:
            self._run(code, timeout, run, collector)
        finally:
            collector.close()
            self._kept.add(run, collector.kept)
        return run

    def _run(self, code: str, timeout: float, run: CellRun, collector: _Collector) -> None:
        assert self._process is not None
        request = self._client.execute(
            code, store_history=False, allow_stdin=False, stop_on_error=False
        )
        deadline = time.monotonic() + timeout
        interrupted: float | None = None
        replied: float | None = None
        memory = _resident_bytes()
        while True:
            listen_until = time.monotonic() + LOOK_AROUND
            for channel, message in self._receive(0.02 if replied else 0.1, collector.flooded):
                if message["parent_header"].get("msg_id") != request:
                    collector.count(message)
                elif channel == "shell":
                    replied = replied or time.monotonic()
                elif collector.take(message):
                    return
                if time.monotonic() > listen_until:
                    break
            now = time.monotonic()
            if replied is not None and now > min(
                replied + IDLE_GRACE, max(replied, deadline) + INTERRUPT_GRACE
            ):
                return
            if _resident_bytes() > memory + MAX_GROWTH_BYTES:
                self._process.kill()
                run.end, run.reason = End.HUNG, "it sent more than can be read"
                return
            if self._cut_off() and self._outlives(CUT_OFF_GRACE):
                self._process.kill()
                run.end, run.reason = End.HUNG, "it sent a message that is too large to read"
                return
            if replied is None and not self.alive:
                run.end, run.reason = End.DIED, self._process.death
                return
            if interrupted is None and replied is None:
                if now > deadline:
                    run.end, run.reason = End.TIMEOUT, f"it did not finish within {timeout:.3g} s"
                elif collector.flooded:
                    run.end, run.reason = End.FLOOD, "it printed or displayed too much"
                else:
                    continue
                interrupted = now
                self._interrupt()
            elif interrupted is not None and now > interrupted + INTERRUPT_GRACE:
                if replied is None:
                    self._process.kill()
                    run.end = End.HUNG
                    run.reason += " and could not be interrupted"
                return

    def _cut_off(self) -> bool:
        """Whether a connection was lost, which a message beyond the size limit causes."""
        return any(monitor.poll(0) for monitor in self._monitors)

    def _outlives(self, seconds: float) -> bool:
        """Whether the kernel is alive for so long; its death, too, cuts connections, and first."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if not self.alive:
                return False
            time.sleep(0.02)
        return True

    def _interrupt(self) -> None:
        message = self._client.session.msg("interrupt_request", content={})
        self._client.control_channel.send(message)

    def _receive(
        self, seconds: float, flooded: bool = False
    ) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield the messages that come within ``seconds``, each with the name of its channel.

        One at a time: what a message holds may take twenty times its size in memory.

        Args:
            seconds: how long to wait for a first one.
            flooded: whether large messages on the output channel are to be counted only.
        """
        channels = {
            self._client.shell_channel.socket: "shell",
            self._client.iopub_channel.socket: "iopub",
            self._client.control_channel.socket: "control",
        }
        poller = zmq.Poller()
        for socket in channels:
            poller.register(socket, zmq.POLLIN)
        # The reply is looked at last, so that the outputs before it are not left behind.
        ready = [s for s, _ in poller.poll(int(seconds * 1000))]
        for socket in sorted(ready, key=lambda s: channels[s] == "shell"):
            limit = self._message_bytes
            if flooded and channels[socket] != "shell":
                limit = min(limit, FLOODED_MESSAGE_BYTES)
            for _ in range(100):
                try:
                    frames = socket.recv_multipart(zmq.NOBLOCK, copy=False)
                except zmq.Again:
                    break
                yield channels[socket], self._parse(frames, limit)

    def _parse(self, parts: list[zmq.Frame], limit: int) -> dict[str, Any]:
        """Return a message with its size in memory; with its size alone if it is no good one."""
        size = sum(len(part.buffer) for part in parts)
        unread = {"msg_type": "", "content": {}, "parent_header": {}, "size": size + EMPTY_BYTES}
        if size > limit or len(parts) > MAX_FRAMES:
            return unread
        frames = [part.bytes for part in parts]
        nested = sum(
            BRACKET_BYTES * (frame.count(b"[") + frame.count(b"{"))
            + COMMA_BYTES * frame.count(b",")
            for frame in frames
        )
        if nested > MAX_NESTED_BYTES:
            if not _is_one_text(frames[-1]):
                return unread
            nested = 0
        try:
            _, frames = self._client.session.feed_identities(frames)
            message = self._client.session.deserialize(frames)
            form = (
                isinstance(message["content"], dict)
                and isinstance(message["parent_header"], dict)
                and isinstance(message["msg_type"], str)
            )
            if not form:
                return unread
            message["size"] = size if message["msg_type"] == "stream" else size + nested
            return dict(message)
        except Exception:  # the peer may send anything: bad JSON, too deep, unsigned, repeated
            return unread


def _is_one_text(content: bytes) -> bool:
    """Whether the content of a message is a text printed, brackets and commas and all."""
    return ONE_TEXT.fullmatch(content) is not None


class _Collector:
    """Turns the messages of one cell into bounded notebook outputs."""

    def __init__(self, run: CellRun, limit: int, evidence_limit: int, keep: int) -> None:
        """Prepare for a cell.

        Args:
            run: what to add to.
            limit: bytes of output beyond which the cell floods.
            evidence_limit: the same of evidence.
            keep: how many bytes of all that to keep.
        """
        self._run = run
        self._limit = limit
        self._evidence_limit = evidence_limit
        self._keep = keep
        self.kept = 0
        self._bytes = 0
        self._evidence_bytes = 0
        self._clear_next = False
        self._display_ids: dict[str, list[NotebookNode]] = {}
        self._texts: list[str] = []

    @property
    def flooded(self) -> bool:
        """Whether more came than may come."""
        return self._bytes > self._limit or self._evidence_bytes > self._evidence_limit

    def count(self, message: dict[str, Any]) -> None:
        """Count a message that belongs to no cell or is malformed."""
        self._bytes += message["size"]

    def take(self, message: dict[str, Any]) -> bool:
        """Add one message of the cell; return whether it was the last."""
        kind, content, size = message["msg_type"], message["content"], message["size"]
        if kind == "status":
            self._bytes += size
            return bool(content.get("execution_state") == "idle")
        data = content.get("data")
        if kind == "display_data" and isinstance(data, dict) and MIME in data:
            self._evidence_bytes += size
            if not self.flooded and self.kept + size <= max(self._keep, RESERVE_BYTES):
                self.kept += size
                self._run.evidence.append(data[MIME])
            return False
        self._bytes += size
        if self.flooded:
            return False
        if kind == "clear_output":
            if content.get("wait"):
                self._clear_next = True
            else:
                self._clear()
        elif kind in ("stream", "display_data", "execute_result", "error"):
            self._add(message)
        elif kind == "update_display_data":
            self._update(message)
        return False

    def _clear(self) -> None:
        self._run.outputs.clear()
        self._texts.clear()

    def _output(self, message: dict[str, Any]) -> NotebookNode | None:
        """Return the output in a message, if it is one that can be kept, and count it as kept."""
        content = message["content"]
        if message["msg_type"] == "stream" and not isinstance(content.get("text"), str):
            return None  # the notebook format allows a list of lines, a kernel sends none
        try:
            output = nbformat.v4.output_from_msg(message)
            nbformat.validate(output, ref="output", version=4)
        except Exception:  # not an output that a notebook can hold
            return None
        if self.kept + message["size"] > self._keep:
            return None
        self.kept += message["size"]
        return output

    def _display_id(self, content: dict[str, Any]) -> str | None:
        transient = content.get("transient")
        found = transient.get("display_id") if isinstance(transient, dict) else None
        return found if isinstance(found, str) else None

    def _add(self, message: dict[str, Any]) -> None:
        output = self._output(message)
        if output is None:
            return
        if self._clear_next:
            self._clear()
            self._clear_next = False
        outputs = self._run.outputs
        last = outputs[-1] if outputs else None
        if (
            output.output_type == "stream"
            and last is not None
            and last.output_type == "stream"
            and last.name == output.name
        ):
            self._texts.append(output.text)
            return
        self._join()
        outputs.append(output)
        display_id = self._display_id(message["content"])
        if display_id is not None:
            shown = self._display_ids.setdefault(display_id, [])
            if len(shown) < MAX_SAME_DISPLAYS:
                shown.append(output)

    def _join(self) -> None:
        """Put the texts that came after the last stream output's first into it."""
        if self._texts:
            last = self._run.outputs[-1]
            last.text = "".join([last.text, *self._texts])
            self._texts.clear()

    def _update(self, message: dict[str, Any]) -> None:
        """Redraw outputs of this very cell; other cells' outputs are none of its business."""
        display_id = self._display_id(message["content"])
        header = {**message["header"], "msg_type": "display_data"}
        output = self._output({**message, "header": header, "msg_type": "display_data"})
        if output is None or display_id is None:
            return
        for shown in self._display_ids.get(display_id, []):
            shown.data, shown.metadata = output.data, output.metadata

    def close(self) -> None:
        """Finish: apply the carriage returns of progress bars, as a terminal does."""
        self._join()
        for output in self._run.outputs:
            if output.output_type == "stream":
                output.text = _as_on_a_terminal(output.text)


def _as_on_a_terminal(text: str) -> str:
    """Return a text without what carriage returns have covered."""
    text = text.replace("\r\n", "\n")
    if "\r" not in text:
        return text
    lines = text.split("\n")
    return "\n".join(line.rstrip("\r").rpartition("\r")[2] for line in lines)


def _resident_bytes() -> int:
    """Return the memory that this process takes, where the system says it; else 0."""
    try:
        pages = Path("/proc/self/statm").read_bytes().split()[1]
    except OSError:
        return 0
    return int(pages) * os.sysconf("SC_PAGE_SIZE")
