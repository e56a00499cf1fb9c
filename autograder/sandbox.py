"""Keep a student's code apart from the grader, the course and the network."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator
from pathlib import Path

from traitlets import Bool, Int
from traitlets.config import LoggingConfigurable

from autograder.reference import kernel_environment
from autograder.session import Launch, Session, kernel_command


class Sandbox(LoggingConfigurable):
    """Starts the kernels of submissions."""

    required = Bool(
        False, help="Whether to refuse grading where student code cannot be confined."
    ).tag(config=True)

    memory_bytes = Int(
        4 * 2**30, help="Address space that a kernel, and each process it starts, may use."
    ).tag(config=True)

    file_bytes = Int(100 * 2**20, help="Size of the largest file that may be written.").tag(
        config=True
    )

    open_files = Int(256, help="Files that a kernel may have open.").tag(config=True)

    @property
    def kind(self) -> str:
        """What confines student code; empty for ordinary kernels."""
        return ""

    @contextlib.contextmanager
    def opened(self, work: Path) -> Iterator[Opened]:
        """Prepare a sandbox around the folder ``work`` for one notebook."""
        with tempfile.TemporaryDirectory(prefix="ag-") as name:
            yield Opened(self, work, Path(name))


class Opened:
    """A prepared sandbox, in which kernels can be started."""

    def __init__(self, settings: Sandbox, work: Path, home: Path) -> None:
        self._settings = settings
        self._work = work
        self._home = home

    def start(self, output_bytes: int) -> Session:
        """Start a kernel.

        Raises:
            autograder.session.KernelStartError: it does not come up.
        """
        limits = {
            "as": self._settings.memory_bytes,
            "fsize": self._settings.file_bytes,
            "nofile": self._settings.open_files,
            "core": 0,
        }
        env = kernel_environment(self._home, NBGRADER_EXECUTION="autograde")
        launch = Launch(kernel_command(), env, self._work, self._home, limits)
        session = Session(launch, output_bytes=output_bytes)
        session.start()
        return session
