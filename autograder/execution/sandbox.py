"""Keep a student's code apart from the grader, the course and the network (grading process).

One sandbox serves one submission. It is made by bubblewrap (``bwrap``) with all namespaces
unshared: inside there is a read-only system and Python, a private folder with the submission's
files in memory, and nothing else (see `autograder.execution.mounts`). A server with everything
imported is forked into it (see `autograder.kernel.forkserver`), which forks an ordinary ipykernel
per notebook. Where bubblewrap is missing, kernels are ordinary processes; this is said once,
loudly, and in the export, or refused if `SandboxPolicy.allow_unconfined` is False.
"""

from __future__ import annotations

import contextlib
import functools
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from traitlets import Bool, Int
from traitlets.config import LoggingConfigurable

from autograder.errors import KernelStartError
from autograder.execution import bubblewrap
from autograder.execution.client import CannotEnterError, SandboxClient
from autograder.execution.collect import Kept
from autograder.execution.mounts import Setup
from autograder.execution.process import (
    START_TIMEOUT,
    KernelProcess,
    OrdinaryKernel,
    kernel_environment,
)
from autograder.execution.scratch import make_folder
from autograder.execution.session import Session
from autograder.kernel.removal import remove_tree

UNCONFINED = (
    "STUDENT CODE IS NOT CONFINED: bubblewrap is not available on this machine, so submissions "
    "run with the grader's own rights. Grade only what you trust, or set "
    "c.SandboxPolicy.allow_unconfined = False."
)

RESTART_TIMEOUT = 10.0
"""Seconds for a kernel to start where student code has run, before a new place is made for it."""


class SandboxPolicy(LoggingConfigurable):
    """Decides where the kernels of submissions run, and what they may use."""

    allow_unconfined = Bool(
        True, help="Whether to grade, with a warning, where student code cannot be confined."
    ).tag(config=True)

    memory_bytes = Int(
        2 * 2**30,
        help="Memory of all processes of a notebook, and address space of each beyond its start.",
    ).tag(config=True)

    processes = Int(
        64, help="Processes that a notebook may have at a time (in bubblewrap only)."
    ).tag(config=True)

    file_bytes = Int(100 * 2**20, help="Size of the largest file that may be written.").tag(
        config=True
    )

    disk_bytes = Int(
        256 * 2**20, help="Size of the submission's folder and of /tmp (in bubblewrap only)."
    ).tag(config=True)

    cpu_seconds = Int(600, help="Processor seconds of a kernel.").tag(config=True)

    open_files = Int(256, help="Files that a kernel may have open.").tag(config=True)

    @property
    def kind(self) -> str:
        """What confines student code; empty if nothing does."""
        return bubblewrap.BUBBLEWRAP if bubblewrap.program() else ""

    def check(self) -> None:
        """Warn, once, if nothing confines student code.

        Raises:
            KernelStartError: nothing does, and `allow_unconfined` is False.
        """
        if self.kind:
            return
        if not self.allow_unconfined:
            raise KernelStartError(
                "Student code cannot be confined on this machine, and "
                "c.SandboxPolicy.allow_unconfined is False. "
                "Install bubblewrap (package bubblewrap) or grade elsewhere."
            )
        _warn_once(self.log, UNCONFINED)

    def hidden(self) -> Iterator[Path]:
        """Yield the real folders that no student may see, wherever they are."""
        yield Path(os.path.realpath(tempfile.gettempdir()))
        parent = self.parent
        while parent is not None:
            if hasattr(parent, "coursedir"):
                yield Path(os.path.realpath(parent.coursedir.root))
                return
            parent = getattr(parent, "parent", None)

    @contextlib.contextmanager
    def opened(self, files: Path) -> Iterator[Sandbox]:
        """Open a sandbox for one submission.

        Args:
            files: folder with the submission's files; copied, never written to.

        Raises:
            KernelStartError: there is no bubblewrap and `allow_unconfined` is False, or it does
                not start.
        """
        self.check()
        opened = Sandbox(self, files)
        try:
            yield opened
        finally:
            opened.close()


@functools.cache
def _warn_once(log: Any, text: str) -> None:
    """Say a thing once in a run, not once for each submission."""
    log.warning("%s", text)


class Sandbox:
    """A sandbox around one submission, in which one kernel at a time runs."""

    def __init__(self, settings: SandboxPolicy, files: Path) -> None:
        self._settings = settings
        self._files = files
        self._used = False
        self._folder: Path | None = None
        self._server: SandboxClient | None = None
        self._session: Session | None = None
        self._kept = Kept()
        self.kind = settings.kind

    def start(self, output_bytes: int) -> Session:
        """Start a kernel.

        Args:
            output_bytes: output after which a cell is stopped.

        Raises:
            KernelStartError: it does not come up.
        """
        if self._used:
            try:
                return self._started_kernel(output_bytes, RESTART_TIMEOUT)
            except KernelStartError:  # student code has run there, and may be why
                self.close()
        return self._started_kernel(output_bytes, START_TIMEOUT)

    def _started_kernel(self, output_bytes: int, timeout: float) -> Session:
        self._used = True
        session = Session(
            self._launch, output_bytes=output_bytes, start_timeout=timeout, kept=self._kept
        )
        session.start()
        self._session = session
        return session

    def close(self) -> None:
        """End the sandbox and everything in it."""
        self._used = False
        if self._session is not None:  # its connections wait for ever if nobody ends them
            self._session.close()
            self._session = None
        if self._server is not None:
            self._server.close()
            self._server = None
        if self._folder is not None:
            if not remove_tree(self._folder):
                self._settings.log.warning("%s cannot be removed; remove it by hand.", self._folder)
            self._folder = None

    def _limits(self) -> dict[str, int]:
        settings = self._settings
        return {
            # Beyond what a kernel has mapped when it starts: threads' stacks and libraries.
            "as": settings.memory_bytes + 2 * 2**30,
            "fsize": settings.file_bytes,
            "nofile": settings.open_files,
            "cpu": settings.cpu_seconds,
            "core": 0,
        }

    def _setup(self) -> Setup:
        settings = self._settings
        return Setup(
            files=self._files,
            hidden=tuple(settings.hidden()),
            disk_bytes=settings.disk_bytes,
            processes=settings.processes,
            memory_bytes=settings.memory_bytes,
        )

    def _launch(self) -> KernelProcess:
        if not self.kind:
            return self._ordinary_kernel()
        if self._server is None or not self._server.alive:
            if self._server is not None:
                self._server.close()
            self._server = self._started_server(self._setup())
        return self._server.kernel(self._limits())

    def _ordinary_kernel(self) -> OrdinaryKernel:
        """Start a kernel that nothing confines."""
        if self._folder is None:
            self._folder = make_folder()
            (self._folder / "run").mkdir()
            shutil.copytree(self._files, self._folder / "work")
        home = Path(tempfile.mkdtemp(prefix="home-", dir=self._folder))
        env = kernel_environment(home, NBGRADER_EXECUTION="autograde")
        return OrdinaryKernel(self._folder / "run", env, self._folder / "work", self._limits())

    def _started_server(self, setup: Setup) -> SandboxClient:
        try:
            return SandboxClient(setup, inside=False)
        except CannotEnterError as error:
            _warn_once(
                self._settings.log,
                f"No server can be forked into a sandbox here ({error}); it is started inside, "
                "which takes a second for each submission.",
            )
            return SandboxClient(setup, inside=True)
