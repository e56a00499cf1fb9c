"""Make a sandbox and hold it open for as long as it is needed (grading process)."""

from __future__ import annotations

import contextlib
import json
import os
import select
import subprocess
import sys
from pathlib import Path

from autograder.errors import KernelStartError
from autograder.execution.mounts import ROOT, Plan, Setup, plan, recorder_files
from autograder.execution.process import (
    START_TIMEOUT,
    LastWords,
    confined_environment,
    last_words,
)
from autograder.kernel.start import exit_in_words

IDLE = ("/bin/sh", "-c", "echo ready; exec >/dev/null 2>&1; read -r nothing")
"""The program of an empty sandbox, which is there until its input is closed."""


class Holder:
    """A sandbox: bubblewrap and the first process inside. When that ends, all others end."""

    def __init__(self, setup: Setup, *, inside: bool) -> None:
        """Make a sandbox.

        Args:
            setup: what it is made for.
            inside: whether its program is the server; else it is one that waits.

        Raises:
            OSError: bubblewrap cannot be started.
        """
        self.words = LastWords()
        self._number = 0
        self._sockets = -1
        self._info, info = os.pipe()
        try:
            self.plan = plan(setup, info)
            command = (
                _server_command(setup, self.plan)
                if inside
                else [*self.plan.arguments, *self.plan.last, *IDLE]
            )
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self.words.fileno(),
                pass_fds=[info],
                start_new_session=True,
            )
        except BaseException:
            self._forget()
            raise
        finally:
            os.close(info)
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self.input, self.output = self._process.stdin, self._process.stdout

    @property
    def alive(self) -> bool:
        """Whether the sandbox is there."""
        return self._process.poll() is None

    def first_process(self) -> int:
        """Wait for the program that waits; return the number that it has outside.

        Raises:
            KernelStartError: it does not come.
        """
        readable = select.select([self.output], [], [], START_TIMEOUT)[0]
        if not readable or self.output.readline() != b"ready\n":
            raise KernelStartError(f"The sandbox does not start: {self.why()}")
        return self._child()

    def _child(self) -> int:
        """Return the number that the first process inside has outside."""
        if not self._number:
            self._number = json.loads(os.read(self._info, 4096))["child-pid"]
        return self._number

    def sockets(self) -> Path:
        """Return a path of the folder of sockets outside the sandbox, once that is made.

        Raises:
            OSError: it cannot be opened from outside.
        """
        if self._sockets < 0:
            path = f"/proc/{self._child()}/root{self.plan.sockets}"
            self._sockets = os.open(path, os.O_PATH | os.O_DIRECTORY)
        return Path(f"/proc/self/fd/{self._sockets}")

    def why(self) -> str:
        """Return why there is no sandbox, in words."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout=1)
        code = self._process.returncode
        how = f"no answer within {START_TIMEOUT:g} s" if code is None else exit_in_words(code)
        return last_words(how, self.words.tail())

    def close(self) -> None:
        """End the sandbox and everything in it."""
        self._forget()
        with contextlib.suppress(OSError):
            self.input.close()
        try:
            self._process.wait(timeout=1)  # by itself, so that no zombie is left to the system
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        with contextlib.suppress(OSError):
            self.output.close()

    def _forget(self) -> None:
        self.words.close()
        for descriptor in (self._info, self._sockets):
            if descriptor >= 0:
                os.close(descriptor)
        self._info = self._sockets = -1


def _server_command(setup: Setup, plan: Plan) -> list[str]:
    """Return the command line of a sandbox whose program is the server."""
    command = [*plan.arguments]
    for file in recorder_files():
        command += ["--ro-bind", str(file), str(plan.package / file.relative_to(ROOT.parent))]
    environment = {**confined_environment(), "PYTHONPATH": str(plan.package)}
    for name, value in environment.items():
        command += ["--setenv", name, value]
    arguments = [setup.processes, setup.memory_bytes, plan.work, plan.files, plan.sockets]
    program = [sys.executable, "-P", "-m", "autograder.kernel.forkserver", "--inside"]
    return [*command, *plan.last, *program, *map(str, arguments)]
