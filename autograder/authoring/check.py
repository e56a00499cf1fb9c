"""The author's gate: a lesson whose checks are too weak, or unfair, does not pass."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from nbformat.notebooknode import NotebookNode

from autograder.course import Course
from autograder.evidence import Unrecordable
from autograder.execution.sandbox import Sandbox, SandboxPolicy
from autograder.lesson.model import Lesson, Notebook, Question
from autograder.pipeline import OwnBench, grade, prepare
from autograder.plugins.preprocessors import Grade
from autograder.verdict.compare import same_answer, verdict_on
from autograder.verdict.outcome import Outcome, Reference
from autograder.verdict.reference import References


@dataclass(frozen=True)
class Caught:
    """A known wrong answer and how it is caught."""

    description: str
    case: str
    """Label of the first case that it fails."""
    points: float
    """What it earns: less than the question's points."""


@dataclass(frozen=True)
class QuestionReport:
    """What the gate found out about one question."""

    question: Question
    solution: float | None
    """Points of the solution; None for a question that a person grades."""
    blank: float | None
    """Points of the answer as it is handed out."""
    mistakes: tuple[Caught, ...] = ()
    alternatives: tuple[str, ...] = ()
    """Names of the other right answers, all of them accepted."""
    cases: int = 0
    problems: tuple[str, ...] = ()
    """One sentence for each thing that must be changed."""


def check(course: Course, lesson: Lesson) -> Iterator[QuestionReport]:
    """Yield a report for each question of a lesson.

    The solutions and the blank release are executed and judged as submissions are; mistakes and
    alternatives are judged by the evidence that they gave when the reference was made.

    Raises:
        autograder.errors.CourseError: a solution does not run.
    """
    with (
        tempfile.TemporaryDirectory(prefix="ag-") as empty,
        SandboxPolicy(config=course.config).opened(Path(empty)) as sandbox,
    ):
        for notebook in lesson.notebooks:
            known = prepare(notebook, course.root)
            perfect = earned(course, notebook, notebook.solved(), known, sandbox)
            blank = earned(course, notebook, notebook.blank, known, sandbox)
            for question in notebook.questions:
                if question.by_hand:
                    yield QuestionReport(question, None, None)
                    continue
                yield _report(
                    question, known[question.grade_id], perfect[question.name], blank[question.name]
                )


def earned(
    course: Course,
    notebook: Notebook,
    submitted: NotebookNode,
    known: References,
    sandbox: Sandbox,
) -> dict[str, float]:
    """Grade a notebook of the author's as submissions are; return the points by question."""
    bench = OwnBench(submitted, known)
    limits = Grade(config=course.config).limits
    graded = grade(notebook, notebook.path, bench, sandbox, limits)
    return {judged.question.name: judged.points or 0.0 for judged in graded.verdicts}


def _report(
    question: Question, known: tuple[Reference, ...], solution: float, blank: float
) -> QuestionReport:
    problems = [
        problem for reference in known for problem in weaknesses(reference, question.points)
    ]
    if solution != question.points:
        problems.append(f"the solution earns {solution:g} of {question.points:g} points")
    if blank != 0:
        problems.append(f"the blank release earns {blank:g} points")
    if not any(reference.mistakes for reference in known):
        problems.append("its probe knows no mistake, so nothing shows that the cases are strong")
    caught = tuple(
        Caught(
            name,
            catching_case(reference, answer),
            verdict_on(reference, answer).points(question.points),
        )
        for reference in known
        for name, answer in [*reference.mistakes.items(), *reference.edge_mistakes.items()]
    )
    return QuestionReport(
        question,
        solution,
        blank,
        caught,
        tuple(name for reference in known for name in reference.alternatives),
        sum(len(reference.cases) for reference in known),
        tuple(problems),
    )


def weaknesses(reference: Reference, points: float) -> list[str]:
    """Return what is wrong with a probe itself, one sentence each; empty for a good one."""
    found = []
    edges = sum(case.penalty for case in reference.cases)
    if edges and edges >= points:
        found.append(f"its edge cases take {edges:g} points, the question has only {points:g}")
    verdict = verdict_on(reference, reference.solution)
    found += [f"the solution fails {case.label!r}: {case.problem}" for case in verdict.failed]
    for judged, outcome in zip(reference.cases, reference.solution, strict=True):
        if isinstance(outcome.result, Unrecordable):
            why = outcome.result.why
            found.append(f"the solution's result in {judged.label!r} cannot be recorded: {why}")
    for name, answer in reference.mistakes.items():
        if not verdict_on(reference, answer).fails_core:
            found.append(f"the checks accept: {name}")
    for name, answer in reference.edge_mistakes.items():
        verdict = verdict_on(reference, answer)
        if verdict.fails_core:
            found.append(f"an edge mistake fails a core case: {name}")
        elif not verdict.failed:
            found.append(f"the checks accept: {name}")
    for name, answer in reference.alternatives.items():
        for case in verdict_on(reference, answer).failed:
            found.append(f"the alternative {name!r} fails {case.label!r}: {case.problem}")
    known = [*reference.mistakes.items(), *reference.edge_mistakes.items()]
    for i, (name, answer) in enumerate(known):
        for other, another in known[:i]:
            if same_answer(reference, answer, another):
                found.append(f"no case tells {name!r} from {other!r}")
    return found


def catching_case(reference: Reference, answer: Sequence[Outcome]) -> str:
    """Return the label of the first case that a wrong answer fails."""
    return next((case.label for case in verdict_on(reference, answer).failed), "")
