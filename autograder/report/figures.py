"""Say how a class did in a lesson: scores, questions, mistakes, and what became of submissions.

Points are the gradebook's: a person's score where there is one, else the automatic one, with extra
credit; the score of a submission is after late penalties. What the points were lost for, what was
repaired and what could not be graded is taken from the records of the grading run.

Nothing in a `ClassReport` names a student unless that was asked for. Reasons and repairs may quote
files that students named, so that without names only the kind of each is told; see
`autograder.notes`.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from nbgrader.api import MissingEntry

from autograder.course import Course
from autograder.errors import CourseError
from autograder.gradebook import database
from autograder.notes import kind_of
from autograder.plugins import standings
from autograder.plugins.export import Summary
from autograder.plugins.export import summary as summarized
from autograder.plugins.standings import Row, StudentResult
from autograder.results import NOT_ANSWERED, REPORTS, Status

FEWEST = 3
"""Answers without which a correlation means nothing: any two lie on a line."""

SAME = 1e-9
"""Difference below which points or shares are the same but for rounding."""

MOST_BINS = 12
"""The most bars of the histogram: more would be too narrow for their counts on a small screen."""

EVERYWHERE = "the whole submission"
"""Where something was found that is not about one notebook."""


@dataclass(frozen=True)
class QuestionFigures:
    """How a class did in one question."""

    notebook: str
    name: str
    points: float
    full: int = 0
    """How many graded answers have full marks; those with some and with none follow."""
    part: int = 0
    zero: int = 0
    waiting: int = 0
    """How many answers a person has still to grade."""
    not_gradable: int = 0
    not_submitted: int = 0
    """How many students handed in other notebooks and not this question's."""
    outdated: int = 0
    """How many answers were graded against another lesson or due date."""
    discrimination: float | None = None
    """See `discrimination`."""

    @property
    def graded(self) -> int:
        """How many answers are graded."""
        return self.full + self.part + self.zero

    @property
    def not_graded(self) -> int:
        """How many answers of those who handed something in have no points."""
        return self.waiting + self.not_gradable + self.not_submitted + self.outdated

    def share(self, number: int) -> float:
        """Return which share of the graded answers a number of them is, 0 if there are none."""
        return number / self.graded if self.graded else 0.0

    def width(self, number: int) -> float:
        """Return which share of all answers a number of them is; what is not graded takes room."""
        return number / (self.graded + self.not_graded)


@dataclass(frozen=True)
class Finding:
    """Something that was found in several submissions."""

    where: str
    """The question or the notebook."""
    text: str
    count: int
    """In how many submissions."""
    students: tuple[str, ...] = ()
    """In whose; empty in a report without names."""


@dataclass(frozen=True)
class ClassReport:
    """How a class did in a lesson."""

    lesson: str
    names: bool
    """Whether students are named."""
    max_score: float
    students: int
    graded: int
    """How many submissions are graded to the end; each submission counts in one of these five."""
    waiting: int
    """How many wait for a person to grade an answer."""
    not_gradable: int
    """How many could not be graded, in whole or in part."""
    not_yet: int
    """How many no run has graded."""
    outdated: int
    """How many were graded against another lesson or due date, in whole or in part."""
    scores: tuple[float, ...]
    """The scores so far of the graded and the waiting submissions, in ascending order."""
    waiting_points: float
    """Points of the questions in which one of these submissions waits."""
    questions: tuple[QuestionFigures, ...]
    lost: int
    """How many graded answers lost points."""
    blank: int
    """How many of them had been left blank."""
    mistakes: tuple[Finding, ...]
    failures: tuple[Finding, ...]
    repairs: tuple[Finding, ...]
    repaired: int
    """How many submissions were repaired."""
    missing: int
    """How many students have handed in nothing."""
    missing_students: tuple[str, ...]
    """Who they are; empty in a report without names."""

    @property
    def submitted(self) -> int:
        """How many students have handed in something."""
        return self.students - self.missing

    @property
    def mean(self) -> float | None:
        """The mean of the scores, if there are any."""
        return statistics.fmean(self.scores) if self.scores else None

    @property
    def median(self) -> float | None:
        """The median of the scores, if there are any."""
        return statistics.median(self.scores) if self.scores else None

    @property
    def named(self) -> int:
        """How many answers are known mistakes."""
        return sum(mistake.count for mistake in self.mistakes)


def read(course: Course, lesson: str, names: bool = False) -> ClassReport:
    """Return the report of a lesson.

    Args:
        course: the course, with its gradebook and the records of its grading runs.
        lesson: the lesson's name.
        names: whether students are named.

    Raises:
        CourseError: there is no such lesson or gradebook, or nothing has been graded.
    """
    course.lesson(lesson)
    url = course.coursedir.db_url
    database.require(url, lesson)
    with database.explained(url), course.gradebook() as gradebook:
        try:
            found = list(standings.results(gradebook, lesson, course.coursedir))
        except MissingEntry:
            raise CourseError(
                f"{lesson} is not in the gradebook. Run: autograder build {lesson}"
            ) from None
    if not any(result.record for result in found):
        raise CourseError(
            f"Nothing of {lesson} has been graded yet. Run: autograder grade {lesson}"
        )
    if not all(result.rows for result in found):
        raise CourseError(f"{lesson} has no graded cell in the gradebook, so nothing to report.")
    return make(lesson, found, names)


def default_file(course: Course, lesson: str) -> Path:
    """Return where the page of a lesson is written unless it is said otherwise."""
    return course.root / REPORTS / f"{lesson}.html"


def make(lesson: str, results: Sequence[StudentResult], names: bool = False) -> ClassReport:
    """Return the report of a lesson's results, of which each has a row per question."""
    summaries = {result.student_id: summarized(result.rows) for result in results}
    absent = {
        student for student, summary in summaries.items() if summary.status == Status.NOT_SUBMITTED
    }
    present = [result for result in results if result.student_id not in absent]
    states = [_state(result, summaries[result.student_id]) for result in present]
    scored = [
        result
        for result, state in zip(present, states, strict=True)
        if state in (Status.GRADED, Status.BY_HAND)
    ]
    questions = _questions(present)
    lost = [row for result in present for row in result.rows if _lost(row)]
    repairs = [_repairs(result) for result in present]
    return ClassReport(
        lesson=lesson,
        names=names,
        max_score=sum(question.points for question in questions),
        students=len(results),
        graded=states.count(Status.GRADED),
        waiting=states.count(Status.BY_HAND),
        not_gradable=states.count(Status.NOT_GRADABLE),
        not_yet=states.count(standings.NOT_YET),
        outdated=states.count(Status.OUTDATED),
        scores=tuple(sorted(summaries[result.student_id].score for result in scored)),
        waiting_points=_waiting_points(scored),
        questions=questions,
        lost=len(lost),
        blank=sum(not row.mistake and row.reason == NOT_ANSWERED for row in lost),
        mistakes=_mistakes(lost, questions, names),
        failures=_findings([_failures(result) for result in present], names),
        repairs=_findings(repairs, names),
        repaired=sum(bool(texts) for _, texts in repairs),
        missing=len(absent),
        missing_students=tuple(map(shown, sorted(absent))) if names else (),
    )


def _state(result: StudentResult, summary: Summary) -> str:
    return standings.NOT_YET if result.record is None else summary.status


def _waiting_points(scored: Sequence[StudentResult]) -> float:
    waiting = {
        row.question: row.max_score
        for result in scored
        for row in result.rows
        if row.status == Status.BY_HAND
    }
    return sum(waiting.values())


# Questions --------------------------------------------------------------------------------------


def _questions(results: Sequence[StudentResult]) -> tuple[QuestionFigures, ...]:
    columns = zip(*(result.rows for result in results), strict=True)
    others = [_Total(result.rows) for result in results]
    return tuple(_question(column, others) for column in columns)


class _Total:
    """One student's points in all graded questions, from which one question can be taken."""

    def __init__(self, rows: Iterable[Row]) -> None:
        graded = [row for row in rows if row.status == Status.GRADED]
        self.score = sum(row.score or 0 for row in graded)
        self.possible = sum(row.max_score for row in graded)

    def share_without(self, row: Row) -> float | None:
        """Return the share of points in the other graded questions, None if they hold none."""
        possible = self.possible - row.max_score
        return (self.score - (row.score or 0)) / possible if possible > SAME else None


def _question(rows: Sequence[Row], totals: Sequence[_Total]) -> QuestionFigures:
    statuses = [row.status for row in rows]
    pairs = []
    marks = {"full": 0, "part": 0, "zero": 0}
    for row, total in zip(rows, totals, strict=True):
        if row.status != Status.GRADED:
            continue
        score = row.score or 0
        marks["full" if not _lost(row) else "part" if score > SAME else "zero"] += 1
        share = total.share_without(row)
        if share is not None:
            pairs.append((score, share))
    return QuestionFigures(
        rows[0].notebook,
        rows[0].question,
        rows[0].max_score,
        **marks,
        waiting=statuses.count(Status.BY_HAND),
        not_gradable=statuses.count(Status.NOT_GRADABLE),
        not_submitted=statuses.count(Status.NOT_SUBMITTED),
        outdated=statuses.count(Status.OUTDATED),
        discrimination=discrimination(pairs),
    )


def _lost(row: Row) -> bool:
    """Return whether an answer is graded and lost points."""
    return row.status == Status.GRADED and (row.score or 0) < row.max_score - SAME


def discrimination(pairs: Sequence[tuple[float, float]]) -> float | None:
    """Return how well a question tells those who do well in the others from those who do not.

    This is the corrected item-total correlation: Pearson's correlation of the question's score
    with the score in the rest of the test, from which the question itself is taken (Henrysson,
    1963, Psychometrika 28, 211-218). For a question of all or nothing it is the point-biserial one.

    Args:
        pairs: for each student the question's score and the share of points in the other questions.
            Of a class that is graded to the end the share correlates as the total score does; it
            also compares students of whom not all has been graded.

    Returns:
        A number between -1 and 1, or None where there is none: fewer than `FEWEST` students, or no
        difference between them.
    """
    if len(pairs) < FEWEST:
        return None
    columns = list(zip(*pairs, strict=True))
    if any(max(column) - min(column) < SAME for column in columns):
        return None
    return statistics.correlation(*columns)


# Scores -----------------------------------------------------------------------------------------


def histogram(scores: Sequence[float], maximum: float) -> tuple[list[float], list[int]]:
    """Return the edges of equal bins from 0 to at least the maximum, and the counts in them.

    A bin holds its lower edge, and the last one its upper edge too. Their width is a round number
    of points, which makes at most `MOST_BINS` of them. Scores below 0 are in the first bin.
    """
    top = max([maximum, *scores])
    if top <= 0:
        return [0.0, 1.0], [len(scores)]
    width = _round_width(top / MOST_BINS)
    bins = math.ceil(top / width - SAME)
    counts = [0] * bins
    for score in scores:
        counts[min(max(math.floor(score / width + SAME), 0), bins - 1)] += 1
    return [round(number * width, 9) for number in range(bins + 1)], counts


def _round_width(least: float) -> float:
    """Return the least width from 1, 2, 3, 4, 5, 10, 20, … that is not below ``least``."""
    magnitude = 10.0 ** math.floor(math.log10(least))
    return next(
        width * magnitude for width in (1, 2, 3, 4, 5, 10) if width * magnitude >= least - SAME
    )


# Mistakes, failures, repairs --------------------------------------------------------------------


def _mistakes(
    lost: Iterable[Row], questions: Sequence[QuestionFigures], names: bool
) -> tuple[Finding, ...]:
    order = {question.name: number for number, question in enumerate(questions)}
    groups: dict[tuple[str, str], list[str]] = {}
    for row in lost:
        if row.mistake:
            groups.setdefault((row.question, row.mistake), []).append(row.student_id)
    found = _grouped(groups, names)
    return tuple(sorted(found, key=lambda each: (-each.count, order[each.where], each.text)))


def _grouped(groups: dict[tuple[str, str], list[str]], names: bool) -> list[Finding]:
    return [
        Finding(where, shown(text), len(who), tuple(map(shown, sorted(who))) if names else ())
        for (where, text), who in groups.items()
    ]


def _findings(
    found: Iterable[tuple[str, Sequence[tuple[str, str]]]], names: bool
) -> tuple[Finding, ...]:
    """Group what was found by where and what, the commonest first.

    Args:
        found: for each student where and what.
        names: whether to name the students; if not, the kind of what was found stands for it.
    """
    groups: dict[tuple[str, str], list[str]] = {}
    for student, texts in found:
        for key in dict.fromkeys(
            (where, text if names else str(kind_of(text))) for where, text in texts
        ):
            groups.setdefault(key, []).append(student)
    grouped = _grouped(groups, names)
    return tuple(sorted(grouped, key=lambda each: (-each.count, each.where, each.text)))


def _failures(result: StudentResult) -> tuple[str, list[tuple[str, str]]]:
    """Return what is not gradable and why: a line for each notebook, or one for all of them."""
    reasons = {row.notebook: row.reason for row in result.rows if row.status == Status.NOT_GRADABLE}
    all_notebooks = {row.notebook for row in result.rows}
    if len(all_notebooks) > 1 and reasons.keys() == all_notebooks and len({*reasons.values()}) == 1:
        return result.student_id, [(EVERYWHERE, next(iter(reasons.values())))]
    return result.student_id, list(reasons.items())


def _repairs(result: StudentResult) -> tuple[str, Sequence[tuple[str, str]]]:
    record = result.record
    if record is None:
        return result.student_id, []
    whole = [(EVERYWHERE, note) for note in record.notes]
    return result.student_id, whole + [
        (name, repair) for name, notebook in record.notebooks.items() for repair in notebook.repairs
    ]


def shown(text: str) -> str:
    """Return a text on one line, with a mark for each character that cannot be seen.

    Names of folders and files may hold any, also those that steer a terminal.
    """
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)
