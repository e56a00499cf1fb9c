"""Tell a student what became of each case, as a table and as text (grading process)."""

from __future__ import annotations

import html

from autograder.sanitize.text import NO_MATH, printable
from autograder.verdict.compare import CaseVerdict


def _rows(cases: list[CaseVerdict], core: bool) -> list[tuple[str, str, str]]:
    """Return what to show of each case: its label, the result in words, what happened."""
    rows = []
    for case in cases:
        if case.problem is None:
            rows.append((case.label, "passed", ""))
        elif case.penalty and not core:
            rows.append((case.label, f"failed (−{case.penalty:g})", printable(case.problem)))
        else:
            rows.append((case.label, "failed", printable(case.problem)))
    return rows


_CELL = "text-align: left; vertical-align: top; padding: 0.3em 0.8em; border: 1px solid #ccc"


def as_html(score: str, mistake: str | None, cases: list[CaseVerdict], core: bool) -> str:
    """Return the table of the cases as HTML, in which nothing of a student's is markup."""
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


def as_text(score: str, mistake: str | None, cases: list[CaseVerdict]) -> str:
    """Return the same as plain text."""
    lines = [f"{score}."]
    if mistake:
        lines.append(f"It looks like this answer {mistake}.")
    lines += [
        f"{result}: {label}" + (f" ({problem})" if problem else "")
        for label, result, problem in _rows(cases, True)
    ]
    return "\n".join(lines)
