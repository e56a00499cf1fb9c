"""Grade one submitted notebook: rebuild it, run it, judge what it recorded. Start reading here.

A student's code runs in one place only, inside `run`: in kernels of their own (`kernel/`), confined
by a sandbox (`execution/`). What a student wrote, and what those kernels sent, is opened by a
`Workbench` only: for submissions that is the `autograder.bounded.desk.Desk`, a process with limits
of time and memory. The grading process passes it on, and gets back verdicts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from nbformat.notebooknode import NotebookNode
from nbgrader import utils

from autograder.execution import outputs
from autograder.execution.clock import Clock
from autograder.execution.run import Limits, run
from autograder.execution.runs import CellRun, End
from autograder.execution.sandbox import Sandbox
from autograder.execution.solution import run_solution
from autograder.lesson.model import Notebook, Question
from autograder.notes import Note
from autograder.results import NOT_ANSWERED
from autograder.submission.restore import Restored, restore
from autograder.verdict import reference
from autograder.verdict.reference import References
from autograder.verdict.score import Judged, judge_cell, not_judged, nothing

Outputs = list[NotebookNode]


class Workbench(Protocol):
    """Where what a student wrote is opened."""

    def restore(self, notebook: Notebook, submitted: Path, clock: Clock) -> Restored:
        """Return the lesson's notebook with what the student put into it."""

    def show(self, runs: Mapping[int, CellRun], limit: int, clock: Clock) -> dict[int, Outputs]:
        """Return what people may see of what cells gave, by index."""

    def judge(
        self, question: Question, run: CellRun, answer: CellRun | None, clock: Clock
    ) -> tuple[Judged, Outputs]:
        """Return the verdict on a question, and the outputs that tell it.

        Args:
            question: the question.
            run: what its check gave.
            answer: what its answer cell gave.
            clock: what is left of the notebook's time.
        """


@dataclass(frozen=True)
class Graded:
    """A graded notebook."""

    node: NotebookNode
    """The rebuilt notebook with the outputs of its cells, those of the checks telling verdicts."""
    repairs: list[Note]
    """What was put right in it, a line each."""
    verdicts: tuple[Judged, ...]
    """One per question, in the order of the notebook."""


def grade(
    notebook: Notebook,
    submitted: Path,
    bench: Workbench,
    sandbox: Sandbox,
    limits: Limits,
    clock: Clock | None = None,
) -> Graded:
    """Grade one submitted notebook.

    Args:
        notebook: the lesson's.
        submitted: the file that was handed in.
        bench: where it is opened.
        sandbox: where its kernels run.
        limits: what its cells may take.
        clock: what is left of the notebook's time, if reading it has taken some already.

    Raises:
        NotGradable: it cannot be told what belongs where.
        KernelStartError: no kernel can be started, which is nobody's fault but the machine's.
    """
    clock = clock or Clock(limits.notebook_seconds)
    restored = bench.restore(notebook, submitted, clock)
    node = restored.node
    runs = run(node, sandbox, limits, clock, notebook.salt)
    shown = bench.show(runs, limits.shown_bytes, clock)
    for number, (index, given) in enumerate(runs.items(), 1):
        given.outputs = shown[index]
        node.cells[index].outputs = given.numbered(number)
        node.cells[index].execution_count = number
    verdicts = _judge(notebook, restored, runs, bench, clock)
    return Graded(node, restored.repairs, verdicts)


def _judge(
    notebook: Notebook,
    restored: Restored,
    runs: Mapping[int, CellRun],
    bench: Workbench,
    clock: Clock,
) -> tuple[Judged, ...]:
    """Judge all questions, and write the verdicts into the outputs of their cells."""
    questions = {question.grade_id: question for question in notebook.questions}
    verdicts = []
    answer: CellRun | None = None
    for index, cell in enumerate(restored.node.cells):
        if utils.is_solution(cell):
            answer = runs.get(index)
        if not utils.is_grade(cell):
            continue
        question = questions[cell.metadata.nbgrader["grade_id"]]
        blank = question.name in restored.blank
        if question.by_hand:
            blank = utils.determine_grade(cell)[0] == 0
            problems = (NOT_ANSWERED,) if blank else ()
            verdicts.append(Judged(question, 0.0 if blank else None, problems))
            continue
        given = runs.get(index, CellRun(End.DIED, reason="it was not run"))
        verdict, cell.outputs = bench.judge(question, given, answer, clock)
        if blank and not verdict.points:
            unclear = restored.unclear.get(question.name)
            verdict, cell.outputs = (
                not_judged(question, unclear) if unclear else nothing(question, NOT_ANSWERED)
            )
        cell.execution_count = None
        verdicts.append(verdict)
    return tuple(verdicts)


def prepare(notebook: Notebook, root: Path) -> References:
    """Have the references of a notebook: run its solution unless that has been done before.

    Args:
        notebook: the lesson's.
        root: the course's folder, which keeps them.

    Raises:
        CourseError: the solution does not run, or a hidden block is not usable.
    """
    known = reference.cached(notebook, root)
    return known or reference.keep(notebook, root, run_solution(notebook))


class OwnBench:
    """Opens what the course's own author wrote, in this very process and without limits."""

    def __init__(self, submitted: NotebookNode, known: References) -> None:
        """Open ``submitted``, which stands in for a file, and judge by the references ``known``."""
        self._submitted = submitted
        self._known = known

    def restore(self, notebook: Notebook, submitted: Path, clock: Clock) -> Restored:
        """Return the lesson's notebook with what the notebook of this bench holds."""
        return restore(notebook, self._submitted)

    def show(self, runs: Mapping[int, CellRun], limit: int, clock: Clock) -> dict[int, Outputs]:
        """Return what people may see of what cells gave, by index."""
        return {index: outputs.shown(given, limit) for index, given in runs.items()}

    def judge(
        self, question: Question, run: CellRun, answer: CellRun | None, clock: Clock
    ) -> tuple[Judged, Outputs]:
        """Return the verdict on a question, and the outputs that tell it."""
        return judge_cell(question, self._known[question.grade_id], run, answer)
