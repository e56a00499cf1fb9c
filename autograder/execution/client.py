"""Talk with the server in a sandbox, and have it fork and end kernels (grading process).

The server's side is `autograder.kernel.server`, which describes what is said.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import time
from pathlib import Path
from typing import Any

from autograder.errors import KernelStartError
from autograder.execution.channels import new_connection
from autograder.execution.holder import Holder
from autograder.execution.mounts import Setup
from autograder.execution.process import START_TIMEOUT, confined_environment, last_words
from autograder.execution.template import Template, close_template, current_template

MAX_ANSWER_BYTES = 2**20
"""The longest answer of a server."""

END_TIMEOUT = 1.0
"""Seconds for a server to end its kernel, before the sandbox is ended instead."""


class CannotEnterError(KernelStartError):
    """A process cannot move into a sandbox that has been made."""


class _Pipes:
    """The two pipes to a server, with one JSON object a line."""

    def __init__(self) -> None:
        self._input = self._output = -1
        self._buffer = b""
        self.ended = True

    def adopt(self, to_server: int, from_server: int) -> None:
        """Take over these ends of pipes, in the place of those before."""
        self.close()
        self._input, self._output = to_server, from_server
        self.ended = False

    def send(self, message: dict[str, Any]) -> None:
        """Send an object; to a server that is gone, nothing."""
        with contextlib.suppress(OSError):
            os.write(self._input, json.dumps(message).encode() + b"\n")

    def messages(self, seconds: float) -> list[dict[str, Any]]:
        """Return the answers that come within ``seconds``; what is none is left out."""
        if self._output < 0 or not select.select([self._output], [], [], seconds)[0]:
            return []
        data = os.read(self._output, 65536)
        self.ended |= not data or len(self._buffer) > MAX_ANSWER_BYTES
        self._buffer += data
        *lines, self._buffer = self._buffer.split(b"\n")
        answers = []
        for line in lines:
            with contextlib.suppress(ValueError, RecursionError):
                answers.append(json.loads(line))
        return [answer for answer in answers if isinstance(answer, dict)]

    def close(self) -> None:
        """Close them."""
        for descriptor in (self._input, self._output):
            if descriptor >= 0:
                os.close(descriptor)
        self._input = self._output = -1
        self._buffer = b""
        self.ended = True


class SandboxClient:
    """A sandbox and the server in it, seen from outside."""

    def __init__(self, setup: Setup, *, inside: bool) -> None:
        """Start a sandbox and a server in it.

        Args:
            setup: what it is made for.
            inside: whether to start the server inside as a program, not to fork it.

        Raises:
            CannotEnterError: the sandbox is there, and a forked server cannot get into it.
            KernelStartError: the sandbox does not start.
        """
        self._pipes = _Pipes()
        self._holder = Holder(setup, inside=inside)
        try:
            if inside:
                self._adopt()
            else:
                self._enter(setup)
        except BaseException:
            self.close()
            raise

    def _adopt(self) -> None:
        """Talk to the server that is the sandbox's own program."""
        self._pipes.adopt(os.dup(self._holder.input.fileno()), os.dup(self._holder.output.fileno()))
        if "ready" not in self._expect(("ready",), START_TIMEOUT):
            raise KernelStartError(f"The sandbox does not start: {self._holder.why()}")

    def _enter(self, setup: Setup) -> None:
        """Fork a server into the sandbox and wait until it is ready."""
        plan = self._holder.plan
        request = {
            "holder": self._holder.first_process(),
            "arguments": {
                "processes": setup.processes,
                "memory": setup.memory_bytes,
                "work": str(plan.work),
                "files": str(plan.files),
                "sockets": str(plan.sockets),
            },
        }
        answer = self._forked(request)
        if "failed" in answer:
            raise KernelStartError(f"The sandbox's server ended at its start: {answer['failed']}")
        if "ready" not in answer:
            raise CannotEnterError(str(answer["closed"]))

    def _forked(self, request: dict[str, Any]) -> dict[str, Any]:
        """Fork a server and return its first answer; once more if the template is gone."""
        reason = ""
        for _ in range(2):
            source = current_template()
            if self._asked(source, request):
                answer = self._expect(("ready", "failed", "closed"), START_TIMEOUT)
                if answer:
                    return answer
            end = source.end()
            if end == "":
                reason = "the server gave no answer"
                break
            reason = f"the process to fork it from is gone: {end or 'it was ended'}"
            close_template()
        return {"closed": reason}

    def _asked(self, source: Template, request: dict[str, Any]) -> bool:
        """Ask the template for a server that has new pipes; return whether it is there."""
        server_input, to_server = os.pipe()
        from_server, server_output = os.pipe()
        self._pipes.adopt(to_server, from_server)
        try:
            source.fork(request, [server_input, server_output, self._holder.words.fileno()])
        except OSError:  # it has been killed
            return False
        finally:
            os.close(server_input)
            os.close(server_output)
        return True

    @property
    def alive(self) -> bool:
        """Whether the sandbox and its server are there, as far as is known."""
        return not self._pipes.ended and self._holder.alive

    def messages(self, seconds: float) -> list[dict[str, Any]]:
        """Return the answers that come within ``seconds``; what is none is left out."""
        return self._pipes.messages(seconds)

    def _expect(self, keys: tuple[str, ...], seconds: float) -> dict[str, Any]:
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline and self.alive:
            for message in self.messages(0.1):
                if any(key in message for key in keys):
                    return message
        return {}

    def kernel(self, limits: dict[str, int]) -> ForkedKernel:
        """Fork a kernel.

        Raises:
            KernelStartError: none can be forked.
        """
        info = new_connection()
        request = {"connection": info, "env": confined_environment(), "limits": limits}
        said = self._holder.words.size()
        self._pipes.send({"start": request})
        answer = self._expect(("started", "failed"), START_TIMEOUT)
        if "started" not in answer:
            how = str(answer.get("failed", "its server gave no answer"))
            raise KernelStartError(
                f"The sandbox forked no kernel: {last_words(how, self._holder.words.tail(said))}"
            )
        inside = Path(answer["started"]).relative_to(self._holder.plan.sockets)
        return ForkedKernel(self, said, {**info, "ip": str(self._holder.sockets() / inside)})

    def words(self, since: int) -> str:
        """Return what was said after so many bytes."""
        return self._holder.words.tail(since)

    def end_kernel(self) -> None:
        """End the kernel and all that it started; the sandbox too if that cannot be had."""
        self._pipes.send({"end": True})
        if not self._expect(("ended",), END_TIMEOUT):
            self.close()

    def close(self) -> None:
        """End the sandbox; with its first process every other one in it ends."""
        self._pipes.close()
        self._holder.close()


class ForkedKernel:
    """A kernel that the fork server forked.

    Args:
        server: what forked it.
        said: the size of the server's last words before.
        connection: where it is reached, see `KernelProcess.connection`.
    """

    def __init__(self, server: SandboxClient, said: int, connection: dict[str, Any]) -> None:
        self._server = server
        self._said = said
        self.connection = connection
        self.death = ""

    @property
    def alive(self) -> bool:
        if self.death:
            return False
        for message in self._server.messages(0):
            if "ended" in message or "failed" in message:
                self.death = str(message.get("ended", message.get("failed")))
        if not self.death and not self._server.alive:
            self.death = "its sandbox ended while it ran"
        return not self.death

    def kill(self) -> None:
        """End the kernel and all that it started."""
        if self.alive:
            self._server.end_kernel()
            self.death = "it was ended"

    def log_tail(self) -> str:
        """Return the last of what it wrote to its standard error before its first cell."""
        return self._server.words(self._said)
