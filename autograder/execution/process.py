"""Start kernels as ordinary processes, and keep what a process says at its end (grading process).

How kernels are started in a sandbox instead is in `autograder.execution.client`.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

import autograder
from autograder.execution.channels import offer
from autograder.kernel.removal import remove_tree
from autograder.kernel.server import home_variables
from autograder.kernel.start import how_it_ended

START_TIMEOUT = 60.0
"""Seconds for a kernel to answer its first request, on a busy machine too."""

WORDS_SHOWN = 500
"""Characters of a process's last words that an error's text has."""


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

    connection: dict[str, Any]
    """Where it is reached from here, as in a connection file of Jupyter's."""

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
        **home_variables(home),
        "MPLBACKEND": "module://matplotlib_inline.backend_inline",
        "OPENBLAS_NUM_THREADS": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONPATH": package,
        "PYTHONSAFEPATH": "1",
        **more,
    }


def confined_environment() -> dict[str, str]:
    """Return the environment of a kernel in a sandbox."""
    env = kernel_environment(Path("/tmp"), NBGRADER_EXECUTION="autograde")
    del env["PYTHONPATH"]  # the recorder is in memory, its files are not inside
    return env


class OrdinaryKernel:
    """A kernel that is a child process of this one, with its rights.

    Args:
        runtime: folder for a folder of its connection file and sockets; its path must be short.
        env: the environment.
        cwd: the working folder.
        limits: resource limits, see `autograder.kernel.start.set_limits`.
    """

    def __init__(
        self,
        runtime: Path,
        env: Mapping[str, str],
        cwd: Path,
        limits: Mapping[str, int] | None = None,
    ) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="k", dir=runtime))
        self._words = LastWords()
        try:
            file, self.connection = offer(self._folder)
            command = [sys.executable, "-P", "-m", "autograder.kernel.start", str(file)]
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
            remove_tree(self._folder)
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
        remove_tree(self._folder)
        self.death = self.death or "it was ended"

    def log_tail(self) -> str:
        """Return the last of what it wrote to its standard error before its first cell."""
        return self._words.tail()
