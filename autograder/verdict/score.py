"""Turn the evidence of a check cell into points and an explanation.

Rewrites the cell's outputs: a table of the cases for people, and exactly one thing that nbgrader's
own scoring reads: nothing for full marks, a number for part marks, an error for none.
"""

from __future__ import annotations

import platform
from dataclasses import dataclass, replace
from typing import Any

from nbformat.notebooknode import NotebookNode
from nbformat.v4 import new_output

from autograder.evidence import EvidenceError
from autograder.execution.runs import CellRun, End
from autograder.lesson.model import Question
from autograder.notes import Kind, Note
from autograder.sanitize.text import no_math, printable
from autograder.verdict.compare import CaseVerdict, Verdict, verdict_on
from autograder.verdict.outcome import Reference, read_evidence
from autograder.verdict.words import as_html, as_text


@dataclass(frozen=True)
class Judged:
    """A graded question: the points and why they are what they are."""

    question: Question
    points: float | None
    """None until a person has graded it."""
    problems: tuple[str, ...] = ()
    """One sentence per lost point or points, for the student."""
    mistake: str | None = None
    """The known mistake that the answer is, in the author's words."""
    gradable: bool = True
    """Whether it could be judged at all; the problem says why not."""


def judge_cell(
    question: Question,
    known: tuple[Reference, ...],
    run: CellRun,
    answer: CellRun | None = None,
) -> tuple[Judged, list[NotebookNode]]:
    """Return the judgement of one check cell and the outputs to show in it.

    Args:
        question: the question.
        known: its references, one for each probe.
        run: what the check cell gave.
        answer: what the answer cell gave, which is the cause of much that goes wrong in its check.
    """
    if run.end is not End.DONE and len(run.evidence) != len(known):
        return nothing(question, f"This check was stopped: {run.reason}.")
    if len(run.evidence) < len(known):
        return nothing(
            question,
            "This check recorded nothing, so there is nothing to judge. " + _cause(run, answer),
        )
    if len(run.evidence) > len(known):
        return nothing(question, "This check recorded more than one result, which is not accepted.")
    try:
        verdicts = [
            verdict_on(reference, read_evidence(reference, evidence))
            for reference, evidence in zip(known, run.evidence, strict=True)
        ]
    except EvidenceError as error:
        return nothing(question, f"What this check recorded cannot be used: {error}.")
    return _scored(question, verdicts)


_ADVICE = {
    "ModuleNotFoundError": " Only what the course has installed can be imported there.",
    "NameError": " No cell that ran before defines it.",
    "StdinNotImplementedError": " Nobody is there to answer input() when the work is graded.",
    **dict.fromkeys(
        ("SyntaxError", "IndentationError", "TabError"),
        f" The work is graded with Python {platform.python_version()}.",
    ),
}
"""What to know of an exception where the work is graded, by its type's name."""


def _cause(run: CellRun, answer: CellRun | None) -> str:
    """Return the sentences on what ended a check before its evidence: the answer cell, or itself"""
    ended = _ended(answer) if answer is not None else ""
    if ended:
        return f"The answer cell {ended}"
    ended = _ended(run)
    return f"The check {ended}" if ended else ""


def _ended(run: CellRun) -> str:
    """Return how a cell ended if it did so early, as a predicate with what to know of it."""
    if run.end is not End.DONE:
        return f"was stopped: {run.reason}."
    for output in run.outputs:
        if output.output_type == "error":
            name, message = str(output.ename)[:80], str(output.evalue).strip()[:300].rstrip(".")
            return f"ended with {name}{': ' if message else ''}{message}.{_ADVICE.get(name, '')}"
    return ""


def nothing(question: Question, reason: str) -> tuple[Judged, list[NotebookNode]]:
    """Return the judgement of a question that earns nothing for a reason of its own."""
    score = f"0 of {question.points:g} points"
    reason = printable(reason)
    table = new_output(
        "display_data",
        {
            "text/html": f"<p><strong>{score}.</strong> {no_math(reason)}</p>",
            "text/plain": reason,
        },
    )
    return Judged(question, 0.0, (reason.strip(),)), [table, _zero(score)]


def not_judged(question: Question, reason: str) -> tuple[Judged, list[NotebookNode]]:
    """Return the judgement of a question that could not be judged, through no fault of its own."""
    judged, shown = nothing(question, f"This question could not be graded: {reason}.")
    kind = reason.kind if isinstance(reason, Note) else Kind.NOT_COMPARED
    problems = tuple(Note(kind, problem) for problem in judged.problems)
    return replace(judged, points=None, problems=problems, gradable=False), shown


def _zero(score: str) -> NotebookNode:
    line = f"{score}: see above"
    return new_output("error", ename="Judged", evalue=line, traceback=[line])


def _scored(question: Question, verdicts: list[Verdict]) -> tuple[Judged, list[NotebookNode]]:
    cases = [case for verdict in verdicts for case in verdict.cases]
    core = any(verdict.fails_core for verdict in verdicts)
    lost = sum(verdict.lost_edges for verdict in verdicts)
    points = 0.0 if core else max(0.0, question.points - lost)
    failed = [case for verdict in verdicts for case in verdict.failed]
    mistake = next((verdict.mistake for verdict in verdicts if verdict.mistake), None)
    score = f"{points:g} of {question.points:g} points"
    data: dict[str, Any] = {
        "text/html": as_html(score, mistake, cases, core),
        "text/plain": as_text(score, mistake, cases),
    }
    problems = _sentences(failed)
    judged = Judged(question, points, problems, mistake)
    if not failed:
        return judged, [new_output("display_data", data)]
    if points == 0:
        return judged, [new_output("display_data", data), _zero(score)]
    # nbgrader reads the number in text/plain; people see the table.
    data["text/plain"] = repr(points)
    return judged, [new_output("execute_result", data, execution_count=None)]


def _sentences(failed: list[CaseVerdict]) -> tuple[str, ...]:
    """Return one sentence per failed case, and one for many that failed in the same way."""
    labels: dict[str, list[str]] = {}
    for case in failed:
        labels.setdefault(printable(str(case.problem)), []).append(case.label)
    return tuple(
        f"{names[0]}: {problem}" if len(names) == 1 else f"{len(names)} cases: {problem}"
        for problem, names in labels.items()
    )
