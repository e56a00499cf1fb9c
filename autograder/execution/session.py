"""Run code cells in a kernel that may misbehave, from a process that must not (grading process).

A `Session` owns one kernel process and talks the Jupyter protocol with it. Whatever the kernel
sends is bounded in size and checked for form before it is looked at; whatever it does ends at a
deadline. It is written against ``jupyter_client``'s channels and session; nbclient's loop is not
used because it trusts the kernel: it keeps all output in memory, lets one cell rewrite the outputs
of another, and gives up a notebook when the kernel dies.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

from autograder.errors import KernelStartError
from autograder.execution.channels import Channels
from autograder.execution.collect import Collector, Kept
from autograder.execution.process import START_TIMEOUT, KernelProcess, last_words
from autograder.execution.runs import CellRun, End
from autograder.kernel.start import DIED

INTERRUPT_GRACE = 1.0
"""Seconds for an interrupted cell to stop before its kernel is killed."""

IDLE_GRACE = 2.0
"""Seconds of silence after the reply that end the wait for a cell's last outputs."""

CUT_OFF_GRACE = 1.0
"""Seconds in which a kernel whose connection was lost may turn out to have ended."""

MAX_GROWTH_BYTES = 192 * 2**20
"""By how much this process may grow while a cell runs; a cell that makes it grow more is stopped.

A message may have any number of parts, and what comes before the last is nowhere to be seen.
"""

LOOK_AROUND = 0.1
"""Seconds in which messages are read before limits are looked at again."""


class Session:
    """One kernel process and the conversation with it.

    Use it as a context manager: the process and all it started are gone at the end.
    """

    def __init__(
        self,
        launch: Callable[[], KernelProcess],
        *,
        output_bytes: int = 10 * 2**20,
        message_bytes: int = 8 * 2**20,
        start_timeout: float = START_TIMEOUT,
        kept: Kept | None = None,
    ) -> None:
        """Prepare a session.

        Args:
            launch: starts the kernel.
            output_bytes: output after which a cell is stopped.
            message_bytes: the largest message that is parsed; larger ones only count as output.
            start_timeout: seconds for the kernel to answer its first request.
            kept: what is kept of other kernels' cells; they share one limit.
        """
        self._kept = kept or Kept()
        self._start_timeout = start_timeout
        self._message_bytes = message_bytes
        self._launch = launch
        self._output_bytes = output_bytes
        self._process: KernelProcess | None = None
        self._channels: Channels | None = None

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
        self._process = self._launch()
        self._channels = Channels(self._process.connection, self._message_bytes)
        self._wait_until_ready(self._process, self._channels)

    def _wait_until_ready(self, process: KernelProcess, channels: Channels) -> None:
        """Wait for a reply and for a first message on the output channel (it may miss some)."""
        deadline = time.monotonic() + self._start_timeout
        replied = heard = False
        while not (replied and heard):
            channels.greet()
            ask_again = time.monotonic() + (0.2 if replied else 5)
            while time.monotonic() < ask_again and not (replied and heard):
                for channel, _ in channels.receive(0.05):
                    replied |= channel == "shell"
                    heard |= channel == "iopub"
                if not process.alive:
                    how = process.death.removeprefix(DIED).strip(" ()")
                    raise KernelStartError(
                        f"The kernel ended while starting: {last_words(how, process.log_tail())}"
                    )
            if time.monotonic() > deadline:
                how = f"no answer within {self._start_timeout:g} s"
                raise KernelStartError(
                    f"The kernel did not start: {last_words(how, process.log_tail())}"
                )

    @property
    def alive(self) -> bool:
        """Whether the kernel process runs."""
        return self._process is not None and self._process.alive

    def close(self) -> None:
        """End the kernel and everything that it started."""
        if self._channels is not None:
            self._channels.close()
            self._channels = None
        if self._process is not None:
            self._process.kill()
            self._process = None

    def run(self, code: str, timeout: float) -> CellRun:
        """Execute ``code`` for at most ``timeout`` seconds and return what came of it."""
        assert self._process is not None
        assert self._channels is not None
        run = CellRun()
        collector = Collector(run, self._output_bytes, 8 * self._message_bytes, self._kept.left)
        try:
            _Execution(self._process, self._channels, run, collector, code, timeout).follow()
        finally:
            collector.close()
            self._kept.add(run, collector.kept)
        return run


class _Execution:
    """One cell while it runs."""

    def __init__(
        self,
        process: KernelProcess,
        channels: Channels,
        run: CellRun,
        collector: Collector,
        code: str,
        timeout: float,
    ) -> None:
        """Ask the kernel to run a cell.

        Args:
            process: the kernel.
            channels: the connections with it.
            run: where to note how the cell ended.
            collector: what to give its messages to.
            code: the cell.
            timeout: seconds after which it is interrupted.
        """
        self._process = process
        self._channels = channels
        self._run = run
        self._collector = collector
        self._timeout = timeout
        self._request = channels.execute(code)
        self._deadline = time.monotonic() + timeout
        self._memory = _resident_bytes()
        self._replied: float | None = None
        self._heard = 0.0
        self._interrupted: float | None = None

    def follow(self) -> None:
        """Stay until the cell is done or was stopped."""
        while not (self._heard_the_last() or self._given_up()):
            pass

    def _heard_the_last(self) -> bool:
        """Read messages for a while; return whether the last of the cell was among them."""
        listen_until = time.monotonic() + LOOK_AROUND
        patience = 0.02 if self._replied else 0.1
        for channel, message in self._channels.receive(patience, self._collector.flooded):
            self._heard = time.monotonic()
            parent = message["parent_header"].get("msg_id")
            if parent != self._request:
                self._collector.count(message, earlier=parent is not None)
            elif channel == "shell":
                self._replied = self._replied or time.monotonic()
            elif self._collector.take(message):
                return True
            if time.monotonic() > listen_until:
                break
        return False

    def _given_up(self) -> bool:
        """Interrupt or kill what has reached a limit; return whether nothing more is waited for."""
        now = time.monotonic()
        if self._replied is not None and now > min(
            max(self._replied, self._heard) + IDLE_GRACE,
            max(self._replied, self._deadline) + INTERRUPT_GRACE,
        ):
            return True
        if _resident_bytes() > self._memory + MAX_GROWTH_BYTES:
            return self._killed("it sent more than can be read")
        if self._channels.cut_off and self._outlives(CUT_OFF_GRACE):
            return self._killed("it sent a message that is too large to read")
        if self._replied is None and not self._process.alive:
            self._run.end, self._run.reason = End.DIED, self._process.death
            return True
        if self._interrupted is None:
            if self._replied is None:
                self._interrupt_at_limit(now)
            return False
        if self._replied is None and now > self._interrupted + INTERRUPT_GRACE:
            return self._killed(f"{self._run.reason} and could not be interrupted")
        return False  # what was sent before is read now: left behind, it would meet the next cell

    def _interrupt_at_limit(self, now: float) -> None:
        """Interrupt the cell if it has taken too long or sent too much."""
        run = self._run
        if now > self._deadline:
            run.end, run.reason = End.TIMEOUT, f"it did not finish within {self._timeout:.3g} s"
        elif self._collector.flooded:
            run.end, run.reason = End.FLOOD, "it printed or displayed too much"
        else:
            return
        self._interrupted = now
        self._channels.interrupt()

    def _killed(self, reason: str) -> bool:
        """Kill the kernel; return True, as nothing more comes."""
        self._process.kill()
        self._run.end, self._run.reason = End.HUNG, reason
        return True

    def _outlives(self, seconds: float) -> bool:
        """Whether the kernel is alive for so long; its death, too, cuts connections, and first."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if not self._process.alive:
                return False
            time.sleep(0.02)
        return True


def _resident_bytes() -> int:
    """Return the memory that this process takes, where the system says it; else 0."""
    try:
        pages = Path("/proc/self/statm").read_bytes().split()[1]
    except OSError:
        return 0
    return int(pages) * os.sysconf("SC_PAGE_SIZE")
