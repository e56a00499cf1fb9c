"""Turn the evidence of a check cell into points and an explanation.

Rewrites the cell's outputs: a table of the cases for people, and exactly one thing that nbgrader's
own scoring reads: nothing for full marks, a number for part marks, an error for none.
"""

from __future__ import annotations

import html
from dataclasses import dataclass, replace
from typing import Any

from nbformat.notebooknode import NotebookNode
from nbformat.v4 import new_output

from autograder.evidence import EvidenceError
from autograder.execution.session import CellRun, End
from autograder.lesson.model import Question
from autograder.sanitize import NO_MATH, no_math, printable
from autograder.verdict.compare import (
    CaseVerdict,
    Reference,
    Verdict,
    judge,
    read_evidence,
)


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
    question: Question, known: tuple[Reference, ...], run: CellRun
) -> tuple[Judged, list[NotebookNode]]:
    """Return the judgement of one check cell and the outputs to show in it."""
    if run.end is not End.DONE and len(run.evidence) != len(known):
        return nothing(question, f"This check was stopped: {run.reason}.")
    if len(run.evidence) < len(known):
        return nothing(
            question, "This check recorded nothing, so there is nothing to judge. " + _error(run)
        )
    if len(run.evidence) > len(known):
        return nothing(question, "This check recorded more than one result, which is not accepted.")
    try:
        verdicts = [
            judge(reference, read_evidence(reference, evidence))
            for reference, evidence in zip(known, run.evidence, strict=True)
        ]
    except EvidenceError as error:
        return nothing(question, f"What this check recorded cannot be used: {error}.")
    return _scored(question, verdicts)


def _error(run: CellRun) -> str:
    """Return the sentence on the exception that ended the cell before its evidence."""
    for output in run.outputs:
        if output.output_type == "error":
            if output.ename == "NameError":
                return f"{output.evalue}: run the answer cell above without an error first."[:300]
            return f"It ended with {output.ename}: {output.evalue}."[:300]
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
    return replace(judged, points=None, gradable=False), shown


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
        "text/html": _html(score, mistake, cases, core),
        "text/plain": _plain(score, mistake, cases),
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


def _rows(cases: list[CaseVerdict], core: bool) -> list[tuple[str, str, str]]:
    """Return what to show of each case: its label, the result in words, what happened."""
    rows = []
    for case in cases:
        if case.problem is None:
            rows.append((case.label, "passed", ""))
        elif case.edge and not core:
            rows.append((case.label, f"failed (−{case.edge:g})", printable(case.problem)))
        else:
            rows.append((case.label, "failed", printable(case.problem)))
    return rows


_CELL = "text-align: left; vertical-align: top; padding: 0.3em 0.8em; border: 1px solid #ccc"


def _html(score: str, mistake: str | None, cases: list[CaseVerdict], core: bool) -> str:
    parts = [f"<p><strong>{score}.</strong>"]
    if mistake:
        parts.append(f" It looks like this answer <strong>{html.escape(mistake)}</strong>.")
    parts.append("</p>\n")
    if len(cases) == 1 and cases[0].problem is None:
        return "".join(parts)
    parts.append('<table style="border-collapse: collapse">\n<thead><tr>')
    for head in ("Case", "Result", "What happened"):
        parts.append(f'<th scope="col" style="{_CELL}">{head}</th>')
    parts.append("</tr></thead>\n<tbody>\n")
    for label, result, problem in _rows(cases, core):
        bold = f"<strong>{result}</strong>" if problem else result
        parts.append(
            f'<tr><td style="{_CELL}">{html.escape(label)}</td>'
            f'<td style="{_CELL}; white-space: nowrap">{bold}</td>'
            f'<td style="{_CELL}" {NO_MATH}>{html.escape(problem)}</td></tr>\n'
        )
    parts.append("</tbody>\n</table>")
    if core and any(case.problem is None for case in cases):
        parts.append("<p>A question earns points only when all of its main cases pass.</p>")
    return "".join(parts)


def _plain(score: str, mistake: str | None, cases: list[CaseVerdict]) -> str:
    lines = [f"{score}."]
    if mistake:
        lines.append(f"It looks like this answer {mistake}.")
    lines += [
        f"{result}: {label}" + (f" ({problem})" if problem else "")
        for label, result, problem in _rows(cases, True)
    ]
    return "\n".join(lines)
