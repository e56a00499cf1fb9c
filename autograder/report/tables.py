"""Show a class report in the terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from autograder.report import words
from autograder.report.figures import ClassReport, Finding, QuestionFigures

BAR = 12
"""Characters of the longest bar."""

FULL, PART, ZERO = "█▒·"


def tables(report: ClassReport) -> Iterator[RenderableType]:
    """Yield all that the page shows, but for the histogram."""
    yield _head(report)
    yield Text(words.scores_note(report), style="dim")
    yield _questions(report.questions)
    yield Text(
        f"{words.SHARES} Bar: {FULL} full, {PART} part, {ZERO} zero, blank: not graded.",
        style="dim",
    )
    yield Text(words.DISCRIMINATION, style="dim")
    if report.mistakes:
        yield _findings(
            "Commonest mistakes", ("Question", "The answer …"), report.mistakes, report.names
        )
    yield Text(words.lost_note(report), style="dim")
    if report.failures:
        yield _findings("Not gradable", ("Notebook", "Why"), report.failures, report.names)
    if report.repairs:
        yield _findings(
            "Repaired before grading", ("Notebook", "What"), report.repairs, report.names
        )
    if report.missing:
        who = f": {', '.join(report.missing_students)}" if report.names else ""
        yield Text(f"\nNothing handed in by {words.counted(report.missing, 'student')}{who}")


def _table(title: str, left: Sequence[str], right: Sequence[str]) -> Table:
    table = Table(title=Text(f"\n{title}"), title_justify="left")
    for name in left:
        table.add_column(name, overflow="fold")
    for name in right:
        table.add_column(name, justify="right")
    return table


def _head(report: ClassReport) -> Table:
    head = [each for group in words.headlines(report) for each in group]
    table = _table(report.lesson, [], [each.label for each in head])
    table.add_row(*(each.value for each in head))
    return table


def _questions(questions: Sequence[QuestionFigures]) -> Table:
    columns = ("Points", "Full", "Part", "Zero")
    table = _table("Questions", ("Notebook", "Question"), columns)
    table.add_column("Marks", no_wrap=True)
    table.add_column("Not graded")
    table.add_column("Discrimination", justify="right")
    notebook = ""
    for question in questions:
        marks = (question.full, question.part, question.zero)
        table.add_row(
            Text(question.notebook if question.notebook != notebook else ""),
            Text(question.name),
            words.number(question.points),
            *(_share(question, count) for count in marks),
            _bar(question),
            words.not_graded(question),
            words.correlation(question.discrimination),
        )
        notebook = question.notebook
    return table


def _share(question: QuestionFigures, count: int) -> str:
    return f"{count} ({words.percent(question.share(count))})" if question.graded else "–"


def _bar(question: QuestionFigures) -> str:
    """Return a bar whose parts are in proportion, each at the nearest whole character."""
    ends = [0]
    bar = ""
    for count, mark in ((question.full, FULL), (question.part, PART), (question.zero, ZERO)):
        ends.append(ends[-1] + count)
        bar += mark * (
            round(BAR * question.width(ends[-1])) - round(BAR * question.width(ends[-2]))
        )
    return bar


def _findings(title: str, columns: tuple[str, str], found: Sequence[Finding], names: bool) -> Table:
    table = _table(title, columns, ("Students",))
    if names:
        table.add_column("Who", overflow="fold")
    for each in found:
        who = [Text(", ".join(each.students))] if names else []
        table.add_row(Text(each.where), Text(each.text), str(each.count), *who)
    return table
