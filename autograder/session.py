"""Run code cells in a kernel that may misbehave, from a process that must not.

A `Session` owns one kernel process and talks the Jupyter protocol with it. Whatever the kernel
sends is bounded in size and checked for form before it is looked at; whatever it does ends at a
deadline. It is written against ``jupyter_client``'s channels and session; nbclient's loop is not
used because it trusts the kernel: it keeps all output in memory, lets one cell rewrite the outputs
of another, and gives up a notebook when the kernel dies.
"""

from __future__ import annotations

import contextlib
import enum
import json
import os
import secrets
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import nbformat
import zmq
from jupyter_client import BlockingKernelClient
from jupyter_client.connect import write_connection_file
from nbformat.notebooknode import NotebookNode

import autograder
from autograder.evidence import MIME
from autograder.kernel import how_it_ended
from autograder.scratch import remove_tree

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

MAX_WAITING_MESSAGES = 1000
"""How many messages wait to be read before a kernel has to."""

MAX_FRAMES = 100
"""The parts of the longest message that is parsed."""

BRACKET_BYTES = 64
"""What an empty list takes in memory, which is two bytes in a message."""

FLOODED_MESSAGE_BYTES = 2**16
"""The largest message that is parsed once a cell has sent too much."""

MAX_GROWTH_BYTES = 256 * 2**20
"""By how much this process may grow while a cell runs; a cell that makes it grow more is stopped.

A message may have any number of parts, and what comes before the last is nowhere to be seen.
"""

LOOK_AROUND = 0.25
"""Seconds in which messages are read before limits are looked at again."""


class KernelStartError(RuntimeError):
    """No kernel could be started: the machine's fault, not the student's."""


class End(enum.Enum):
    """How the execution of a cell ended."""

    DONE = "done"
    """It ran to its end, or raised an exception."""
    TIMEOUT = "timeout"
    """It reached its time limit and was interrupted; the kernel lives."""
    FLOOD = "flood"
    """It sent more output than allowed and was interrupted; the kernel lives."""
    HUNG = "hung"
    """It reached a limit and ignored the interrupt; the kernel was killed."""
    DIED = "died"
    """The kernel ended while it ran."""

    @property
    def fatal(self) -> bool:
        """Whether the kernel is gone."""
        return self in (End.HUNG, End.DIED)


@dataclass
class CellRun:
    """What executing a cell gave."""

    end: End = End.DONE
    outputs: list[NotebookNode] = field(default_factory=list)
    """Notebook outputs, evidence excluded."""
    evidence: list[Any] = field(default_factory=list)
    """Parsed JSON of each display output with the evidence MIME type, unchecked."""
    reason: str = ""
    """Which limit was reached, in words, for the ends other than done."""

    def numbered(self, count: int) -> list[NotebookNode]:
        """Return the outputs after giving results the execution count of their cell."""
        for output in self.outputs:
            if output.output_type == "execute_result":
                output.execution_count = count
        return self.outputs


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
        limits: resource limits, see `autograder.kernel.set_limits`.
    """

    def __init__(
        self,
        connection: Path,
        env: Mapping[str, str],
        cwd: Path,
        limits: Mapping[str, int] | None = None,
    ) -> None:
        command = [sys.executable, "-P", "-m", "autograder.kernel", str(connection)]
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
    ) -> None:
        """Prepare a session.

        Args:
            launch: starts the kernel, given the path of its connection file.
            runtime: folder for that file and the Unix sockets; its path must be short.
            output_bytes: output after which a cell is stopped.
            message_bytes: the largest message that is parsed; larger ones only count as output.
            start_timeout: seconds for the kernel to answer its first request.
        """
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
                for channel, message in self._receive(0.05):
                    replied |= channel == "shell"
                    heard |= channel == "iopub" and message is not None
                if not self.alive:
                    raise KernelStartError(
                        "The kernel ended while starting: "
                        f"{last_words(self._process.death, self._process.log_tail())}"
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
        assert self._process is not None
        run = CellRun()
        collector = _Collector(run, self._output_bytes, 2 * self._message_bytes)
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
                if message is None or message["parent_header"].get("msg_id") != request:
                    collector.count(message)
                elif channel == "shell":
                    replied = replied or time.monotonic()
                elif collector.take(message):
                    collector.close()
                    return run
                if time.monotonic() > listen_until:
                    break
            now = time.monotonic()
            if replied is not None and now > min(
                replied + IDLE_GRACE, max(replied, deadline) + INTERRUPT_GRACE
            ):
                collector.close()
                return run
            if _resident_bytes() > memory + MAX_GROWTH_BYTES:
                self._process.kill()
                run.end, run.reason = End.HUNG, "it sent more than can be read"
                collector.close()
                return run
            if self._cut_off() and self._outlives(CUT_OFF_GRACE):
                self._process.kill()
                run.end, run.reason = End.HUNG, "it sent a message that is too large to read"
                collector.close()
                return run
            if replied is None and not self.alive:
                run.end, run.reason = End.DIED, self._process.death
                collector.close()
                return run
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
                collector.close()
                return run

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
    ) -> Iterator[tuple[str, dict[str, Any] | None]]:
        """Yield the messages that come within ``seconds``, None for a malformed one.

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

    def _parse(self, parts: list[zmq.Frame], limit: int) -> dict[str, Any] | None:
        size = sum(len(part.buffer) for part in parts)
        if size > limit or len(parts) > MAX_FRAMES:
            return {"msg_type": "too large", "content": {}, "parent_header": {}, "size": size}
        try:
            frames = [part.bytes for part in parts]
            brackets = sum(frame.count(b"[") + frame.count(b"{") for frame in frames)
            _, frames = self._client.session.feed_identities(frames)
            message = self._client.session.deserialize(frames)
            form = (
                isinstance(message["content"], dict)
                and isinstance(message["parent_header"], dict)
                and isinstance(message["msg_type"], str)
            )
            if not form:
                return None
            # What it takes in memory; a stream is one text, whatever is in it.
            nested = 0 if message["msg_type"] == "stream" else brackets
            message["size"] = size + BRACKET_BYTES * nested
            return dict(message)
        except Exception:  # the peer may send anything: bad JSON, too deep, unsigned, repeated
            return None


class _Collector:
    """Turns the messages of one cell into bounded notebook outputs."""

    def __init__(self, run: CellRun, limit: int, evidence_limit: int) -> None:
        self._run = run
        self._limit = limit
        self._evidence_limit = evidence_limit
        self._bytes = 0
        self._evidence_bytes = 0
        self._clear_next = False
        self._display_ids: dict[str, list[NotebookNode]] = {}

    @property
    def flooded(self) -> bool:
        """Whether more came than may come."""
        return self._bytes > self._limit or self._evidence_bytes > self._evidence_limit

    def count(self, message: dict[str, Any] | None) -> None:
        """Count a message that belongs to no cell or is malformed."""
        self._bytes += message["size"] if message is not None else 1000

    def take(self, message: dict[str, Any]) -> bool:
        """Add one message of the cell; return whether it was the last."""
        kind, content = message["msg_type"], message["content"]
        if kind == "status":
            return bool(content.get("execution_state") == "idle")
        data = content.get("data")
        if kind == "display_data" and isinstance(data, dict) and MIME in data:
            self._evidence_bytes += message["size"]
            if not self.flooded:
                self._run.evidence.append(data[MIME])
            return False
        self._bytes += message["size"]
        if self.flooded:
            return False
        if kind == "clear_output":
            if content.get("wait"):
                self._clear_next = True
            else:
                self._run.outputs.clear()
        elif kind in ("stream", "display_data", "execute_result", "error"):
            self._add(message)
        elif kind == "update_display_data":
            self._update(message)
        return False

    def _output(self, message: dict[str, Any]) -> NotebookNode | None:
        content = message["content"]
        if message["msg_type"] == "stream" and not isinstance(content.get("text"), str):
            return None  # the notebook format allows a list of lines, a kernel sends none
        try:
            output = nbformat.v4.output_from_msg(message)
            nbformat.validate(output, ref="output", version=4)
        except Exception:  # not an output that a notebook can hold
            return None
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
            self._run.outputs.clear()
            self._clear_next = False
        outputs = self._run.outputs
        last = outputs[-1] if outputs else None
        if (
            output.output_type == "stream"
            and last is not None
            and last.output_type == "stream"
            and last.name == output.name
        ):
            last.text += output.text
            return
        outputs.append(output)
        display_id = self._display_id(message["content"])
        if display_id is not None:
            self._display_ids.setdefault(display_id, []).append(output)

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
        for output in self._run.outputs:
            if output.output_type == "stream":
                lines = output.text.split("\n")
                output.text = "\n".join(line.rstrip("\r").rpartition("\r")[2] for line in lines)
