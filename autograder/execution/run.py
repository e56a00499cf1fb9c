"""Run a rebuilt notebook in kernels that may die, hang or flood (grading process).

Nothing that a kernel sends is opened here: it is cut to what may be kept and passed on.
"""

from __future__ import annotations

from dataclasses import dataclass

from nbformat.notebooknode import NotebookNode
from nbgrader import utils

from autograder.execution.clock import Clock
from autograder.execution.outputs import Room
from autograder.execution.runs import CellRun, End
from autograder.execution.sandbox import Sandbox
from autograder.execution.session import Session
from autograder.lesson import hidden
from autograder.lesson.model import FIGURE_TAG

REPLAY_TIMEOUT = 2.0
"""Seconds for a cell that had reached its limit, when it is run again for its definitions."""


@dataclass(frozen=True)
class Limits:
    """What the cells of one notebook may take."""

    cell_seconds: float = 30
    notebook_seconds: float = 120
    output_bytes: int = 10 * 2**20
    """Bytes of output after which a cell is stopped."""
    shown_bytes: int = 100_000
    """Bytes of a cell's output that are kept for people."""


def run(
    notebook: NotebookNode, sandbox: Sandbox, limits: Limits, clock: Clock, salt: str = ""
) -> dict[int, CellRun]:
    """Run the cells of a notebook from top to bottom.

    Args:
        notebook: as `autograder.submission.restore` rebuilds it.
        sandbox: where its kernels run.
        limits: what its cells may take.
        clock: what is left of the notebook's time.
        salt: what the inputs of hidden cases depend on, besides their seeds.

    Returns:
        What each cell that is run gave, by its index.

    Raises:
        KernelStartError: no kernel can be started.
    """
    return _Runner(notebook, sandbox, limits, clock, salt).run_all()


class _Runner:
    """Runs one notebook, with as many kernels as its fatal cells cost."""

    def __init__(
        self, nb: NotebookNode, sandbox: Sandbox, limits: Limits, clock: Clock, salt: str
    ) -> None:
        self._limits = limits
        self._sandbox = sandbox
        self._clock = clock
        self._room = Room(limits.shown_bytes, limits.output_bytes)
        self._sources = {
            index: source
            for index, cell in enumerate(nb.cells)
            if (source := _source_to_run(cell, salt)) is not None
        }
        self._checks = {i for i, cell in enumerate(nb.cells) if _is_check(cell)}
        self._runs: dict[int, CellRun] = {}
        self._session: Session | None = None

    def run_all(self) -> dict[int, CellRun]:
        runs = self._runs
        try:
            for index, source in self._sources.items():
                if self._clock.left <= 0 or not self._ready():
                    runs[index] = CellRun(End.TIMEOUT, reason=self._out_of_time())
                    continue
                runs[index] = self._run(source, self._limits.cell_seconds)
                self._room.cut(runs[index])
                if index not in self._checks:
                    runs[index].evidence.clear()
        finally:
            self._close()
        return runs

    def _out_of_time(self) -> str:
        return f"the notebook reached its limit of {self._limits.notebook_seconds:g} s"

    def _run(self, source: str, timeout: float) -> CellRun:
        assert self._session is not None
        left = self._clock.left
        run = self._session.run(source, max(0.0, min(timeout, left)))
        if run.end in (End.TIMEOUT, End.HUNG) and left < timeout:
            run.reason = self._out_of_time()
        if run.end.fatal:
            self._close()
        return run

    def _close(self) -> None:
        if self._session is not None:
            self._session.close()
            self._session = None

    def _ready(self) -> bool:
        """Have a kernel in the state after the cells so far; return whether there is time for it.

        After a fatal cell this means a new kernel, in which the cells before are run again without
        the fatal ones. Check cells are left out: they define nothing, and their evidence stands.
        """
        while self._session is None:
            if self._clock.left <= 0:
                return False
            self._session = self._sandbox.start(self._limits.output_bytes)
            for index, before in list(self._runs.items()):
                if before.end.fatal or index in self._checks:
                    continue
                if self._clock.left <= 0:
                    return False
                limit = self._limits.cell_seconds
                again = self._run(
                    self._sources[index], limit if before.end is End.DONE else REPLAY_TIMEOUT
                )
                if again.end.fatal:
                    before.end, before.reason = again.end, again.reason
                    break
        return True


def _is_check(cell: NotebookNode) -> bool:
    return bool(cell.cell_type == "code" and utils.is_grade(cell) and not utils.is_solution(cell))


def _source_to_run(cell: NotebookNode, salt: str) -> str | None:
    """Return the code to run for a cell, or None if there is none."""
    if cell.cell_type != "code" or FIGURE_TAG in cell.metadata.get("tags", []):
        return None
    if _is_check(cell) and hidden.BEGIN in cell.source:
        return hidden.grading_source(cell.source, salt)
    return cell.source if cell.source.strip() else None
