"""Run a restored submission and keep what its kernel did (nbgrader preprocessor)."""

from __future__ import annotations

import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from textwrap import dedent
from typing import Any

from nbconvert.exporters.exporter import ResourcesDict
from nbformat.notebooknode import NotebookNode
from nbformat.v4 import new_output
from nbgrader import utils
from nbgrader.preprocessors import Execute as NbgraderExecute
from traitlets import Float, Int

from autograder import hidden
from autograder.lesson import FIGURE_TAG
from autograder.sandbox import OpenSandbox, Sandbox
from autograder.sanitize import clean_output
from autograder.session import CellRun, End, Session

REPLAY_TIMEOUT = 2.0
"""Seconds for a cell that had reached its limit, when it is run again for its definitions."""

SANDBOX = "autograder_sandbox"
"""Key of the submission's open sandbox in the resources; without one, a notebook has its own."""

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
        opened: OpenSandbox | None = resources.get(SANDBOX)
        if opened is not None:
            results = _Runner(self, nb, opened).run_all()
        else:
            with (
                tempfile.TemporaryDirectory(prefix="ag-") as empty,
                Sandbox(parent=self).opened(Path(empty)) as own,
            ):
                results = _Runner(self, nb, own).run_all()
        for number, (index, run) in enumerate(results.runs.items(), 1):
            run.numbered(number)
            nb.cells[index].outputs = self._shown(run)
            nb.cells[index].execution_count = number
        resources[RESULTS] = results
        return nb, resources

    def _shown(self, run: CellRun) -> list[NotebookNode]:
        """Return the outputs to keep: no more than allowed, and why the cell was stopped."""
        shown: list[NotebookNode] = []
        left = self.shown_output_bytes
        images = self.output_bytes
        for output in map(clean_output, run.outputs):
            if output.output_type == "stream":
                if len(output.text) > left:
                    output.text = output.text[: max(left, 0)] + "\n… output cut here\n"
                left -= len(output.text)
            elif output.output_type == "error":
                output.traceback = output.traceback[-40:]
                left -= sum(map(len, output.traceback))
            else:
                size = len(repr(output.data))
                images -= size
                if images < 0:
                    continue
            shown.append(output)
            if left < 0:
                break
        if run.end is not End.DONE:
            shown = [output for output in shown if output.output_type != "error"]
            shown.append(_stopped(run.reason))
        return shown


def _stopped(reason: str) -> NotebookNode:
    message = f"This cell was stopped: {reason}."
    return new_output("error", ename="CellStopped", evalue=message, traceback=[message])


class _Runner:
    """Runs one notebook, with as many kernels as its fatal cells cost."""

    def __init__(self, settings: Execute, nb: NotebookNode, sandbox: OpenSandbox) -> None:
        self._settings = settings
        self._sandbox = sandbox
        self._deadline = time.monotonic() + settings.notebook_timeout
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
                left = self._deadline - time.monotonic()
                if left <= 0 or not self._ready():
                    runs[index] = CellRun(End.TIMEOUT, reason=self._out_of_time())
                    continue
                runs[index] = self._run(source, self._settings.timeout or float("inf"))
        finally:
            self._close()
        return self._results

    def _out_of_time(self) -> str:
        return f"the notebook reached its limit of {self._settings.notebook_timeout:g} s"

    def _run(self, source: str, timeout: float) -> CellRun:
        assert self._session is not None
        left = self._deadline - time.monotonic()
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
            if time.monotonic() >= self._deadline:
                return False
            self._session = self._sandbox.start(self._settings.output_bytes)
            for index, before in list(self._results.runs.items()):
                if before.end.fatal or index in self._checks:
                    continue
                if time.monotonic() >= self._deadline:
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
