"""Keep the process that servers are forked from, with everything imported (grading process).

One such process serves all grading processes of a command; it is described in
`autograder.kernel.forkserver`.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

from autograder.execution import bubblewrap
from autograder.execution.process import LastWords, kernel_environment, last_words
from autograder.kernel.start import exit_in_words


def _environment() -> dict[str, str]:
    """Return the template's environment: Matplotlib's list of fonts, and none of its options."""
    import matplotlib

    return kernel_environment(
        Path("/tmp"),
        MPLCONFIGDIR=matplotlib.get_cachedir(),
        MATPLOTLIBRC=str(Path(matplotlib.get_data_path(), "matplotlibrc")),
    )


class Template:
    """The process with everything imported, from which servers are forked."""

    def __init__(
        self,
        control: socket.socket,
        process: subprocess.Popen[bytes] | None,
        words: LastWords | None = None,
    ) -> None:
        self.control = control
        self._process = process
        self._words = words

    @classmethod
    def started(cls) -> Template:
        """Start such a process."""
        words = LastWords()
        control, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with other:
            process = subprocess.Popen(
                [sys.executable, "-P", "-m", "autograder.kernel.forkserver", str(other.fileno())],
                env=_environment(),
                cwd="/",
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=words.fileno(),
                pass_fds=[other.fileno()],
                start_new_session=True,
            )
        return cls(control, process, words)

    def fork(self, request: dict[str, Any], descriptors: list[int]) -> None:
        """Fork a server with the given arguments and standard input, output and error.

        Raises:
            OSError: the template is gone.
        """
        socket.send_fds(self.control, [json.dumps(request).encode()], descriptors)

    def end(self) -> str | None:
        """Return how it ended, in words; empty if it lives, None if that is not known here."""
        if self._process is None or self._words is None:
            return None
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout=0.5)
        if self._process.returncode is None:
            return ""
        return last_words(exit_in_words(self._process.returncode), self._words.tail())

    def close(self) -> None:
        """End the template if it is this process's own; the servers live on."""
        self.control.close()
        if self._process is not None:
            self._process.kill()
            self._process.wait()
        if self._words is not None:
            self._words.close()


_templates: dict[int, Template] = {}
"""The template of each process: a forked worker must not end its parent's."""


def template_control() -> socket.socket | None:
    """Return what a worker needs to share this process's template; starts it if need be."""
    return current_template().control if bubblewrap.program() else None


def share_template(control: socket.socket) -> None:
    """Use the template of another process, from its `template_control`."""
    _templates[os.getpid()] = Template(control, None)


def current_template() -> Template:
    """Return the template to fork from; starts it if need be."""
    if os.getpid() not in _templates:
        _templates[os.getpid()] = Template.started()
        atexit.register(close_template)
    return _templates[os.getpid()]


def close_template() -> None:
    """Forget the template, and end it if it is this process's own."""
    found = _templates.pop(os.getpid(), None)
    if found is not None:
        found.close()
