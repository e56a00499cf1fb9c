"""Run a restored submission and keep what its kernel did (nbgrader preprocessor)."""

from __future__ import annotations

import contextlib
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from textwrap import dedent
from typing import Any

from nbconvert.exporters.exporter import ResourcesDict
from nbformat.notebooknode import NotebookNode
from nbgrader import utils
from nbgrader.preprocessors import Execute as NbgraderExecute
from traitlets import Float, Int

from autograder.bounded.desk import Clock, Desk
from autograder.execution import outputs
from autograder.execution.runs import CellRun, End
from autograder.execution.sandbox import Sandbox, SandboxPolicy
from autograder.execution.session import Session
from autograder.lesson import hidden
from autograder.lesson.model import FIGURE_TAG

REPLAY_TIMEOUT = 2.0
"""Seconds for a cell that had reached its limit, when it is run again for its definitions."""

SANDBOX = "autograder_sandbox"
"""Key of the submission's open sandbox in the resources; without one, a notebook has its own."""

DESK = "autograder_desk"
"""Key of the `Desk` in the resources; without one, outputs and verdicts are made right here."""

CLOCK = "autograder_clock"
"""Key of the notebook's `Clock` in the resources; without one, its time starts with its cells."""

RESULTS = "autograder_results"
"""Key of the executed cells' results in the resources; the judge reads them there."""


@dataclass
class Results:
    """What the execution of one notebook gave, for the judge."""

    runs: dict[int, CellRun] = field(default_factory=dict)
    """By index of the cell."""
    sandbox: str = ""
    """What kept the student's code apart from the grader."""


class Execute(NbgraderExecute):
    """Execute the cells in a kernel that may die, hang or flood without taking others along."""

    timeout = Int(30, allow_none=True, help="Seconds that one cell may take.").tag(config=True)

    notebook_timeout = Float(
        120,
        help=dedent(
            """
            Seconds that one notebook may take, restarts after a fatal cell included. Cells that
            have not run by then are not run.
            """
        ),
    ).tag(config=True)

    output_bytes = Int(
        10 * 2**20,
        help="Bytes of output after which a cell is stopped.",
    ).tag(config=True)

    shown_output_bytes = Int(
        100_000,
        help="Bytes of a cell's output that are kept; the rest is cut, with a note.",
    ).tag(config=True)

    def preprocess(
        self, nb: NotebookNode, resources: ResourcesDict, km: Any = None
    ) -> tuple[NotebookNode, ResourcesDict]:
        """Run ``nb`` in its folder and put the results into its cells and the resources."""
        opened: Sandbox | None = resources.get(SANDBOX)
        desk: Desk | None = resources.get(DESK)
        clock: Clock = resources.get(CLOCK) or Clock(self.notebook_timeout)
        with contextlib.ExitStack() as stack:
            if opened is None:
                empty = stack.enter_context(tempfile.TemporaryDirectory(prefix="ag-"))
                opened = stack.enter_context(SandboxPolicy(parent=self).opened(Path(empty)))
            results = _Runner(self, nb, opened, clock).run_all()
        if desk is not None:
            shown = desk.show(results.runs, self.shown_output_bytes, clock)
        else:
            limit = self.shown_output_bytes
            shown = {index: outputs.shown(run, limit) for index, run in results.runs.items()}
        for number, (index, run) in enumerate(results.runs.items(), 1):
            run.outputs = shown[index]
            nb.cells[index].outputs = run.numbered(number)
            nb.cells[index].execution_count = number
        resources[RESULTS] = results
        return nb, resources


class _Runner:
    """Runs one notebook, with as many kernels as its fatal cells cost."""

    def __init__(self, settings: Execute, nb: NotebookNode, sandbox: Sandbox, clock: Clock) -> None:
        self._settings = settings
        self._sandbox = sandbox
        self._clock = clock
        self._room = outputs.Room(settings.shown_output_bytes, settings.output_bytes)
        self._sources = {
            index: source
            for index, cell in enumerate(nb.cells)
            if (source := _source_to_run(cell)) is not None
        }
        self._checks = {i for i, cell in enumerate(nb.cells) if _is_check(cell)}
        self._results = Results(sandbox=sandbox.kind)
        self._session: Session | None = None

    def run_all(self) -> Results:
        runs = self._results.runs
        try:
            for index, source in self._sources.items():
                if self._clock.left <= 0 or not self._ready():
                    runs[index] = CellRun(End.TIMEOUT, reason=self._out_of_time())
                    continue
                runs[index] = self._run(source, self._settings.timeout or float("inf"))
                self._room.cut(runs[index])
                if index not in self._checks:
                    runs[index].evidence.clear()
        finally:
            self._close()
        return self._results

    def _out_of_time(self) -> str:
        return f"the notebook reached its limit of {self._settings.notebook_timeout:g} s"

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
            self._session = self._sandbox.start(self._settings.output_bytes)
            for index, before in list(self._results.runs.items()):
                if before.end.fatal or index in self._checks:
                    continue
                if self._clock.left <= 0:
                    return False
                limit = self._settings.timeout or float("inf")
                again = self._run(
                    self._sources[index], limit if before.end is End.DONE else REPLAY_TIMEOUT
                )
                if again.end.fatal:
                    before.end, before.reason = again.end, again.reason
                    break
        return True


def _is_check(cell: NotebookNode) -> bool:
    return bool(cell.cell_type == "code" and utils.is_grade(cell) and not utils.is_solution(cell))


def _source_to_run(cell: NotebookNode) -> str | None:
    """Return the code to run for a cell, or None if there is none."""
    if cell.cell_type != "code" or FIGURE_TAG in cell.metadata.get("tags", []):
        return None
    if _is_check(cell) and hidden.BEGIN in cell.source:
        return hidden.grading_source(cell.source)
    return cell.source if cell.source.strip() else None
