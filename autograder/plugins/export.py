"""Export grades as CSV: one row per student and question, with a status (nbgrader plugin)."""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from nbgrader.api import Gradebook
from nbgrader.coursedir import CourseDirectory
from nbgrader.plugins import ExportPlugin

from autograder.errors import CourseError
from autograder.files import write_whole
from autograder.gradebook import database
from autograder.plugins.standings import Row, rows
from autograder.results import Status
from autograder.sanitize.text import printable


@dataclass(frozen=True)
class Summary:
    """One student's result in one assignment."""

    assignment: str
    student_id: str
    status: str
    """The least finished status of the student's questions."""
    score: float
    """Points so far, after late penalties."""
    max_score: float
    waiting: float
    """Points of the questions that a person has still to grade and that have no score."""
    not_gradable: float
    """Points of the questions that could not be graded."""
    outdated: float
    """Points of the questions that were graded against another lesson or due date."""
    late_penalty: float
    timestamp: str


class Export(ExportPlugin):
    """Writes two CSV files; run it as ``nbgrader export``.

    ``--to grades.csv`` (the default) gets a row per student and question, and
    ``grades_by_student.csv`` beside it a row per student.
    """

    def export(self, gradebook: Gradebook) -> None:
        """Write the rows of the chosen assignments and students (default: all)."""
        file = Path(self.to or "grades.csv")
        coursedir = CourseDirectory(parent=self)
        try:
            database.require_current(gradebook.engine)
        except CourseError as error:
            self.log.error("%s", error)
            sys.exit(2)
        found = [
            row
            for assignment in gradebook.assignments
            if not self.assignment or assignment.name in map(str, self.assignment)
            for row in rows(gradebook, assignment.name, coursedir)
            if not self.student or row.student_id in map(str, self.student)
        ]
        by_student = file.with_name(f"{file.stem}_by_student{file.suffix}")
        try:
            tables = {file: _table(Row, found), by_student: _table(Summary, summaries(found))}
            for each, table in tables.items():
                write_whole(each, table)
        except OSError as error:
            self.log.error("The grades cannot be written to %s: %s.", file, error.strerror)
            sys.exit(2)
        self.log.info("Exported %d rows to %s, by student to %s", len(found), file, by_student)


def _table(kind: type, found: Iterable[Any]) -> str:
    """Return rows as CSV, with a line of names."""
    names = [field.name for field in fields(kind)]
    stream = io.StringIO()
    writer = csv.writer(stream)
    writer.writerow(names)
    writer.writerows([_text(getattr(row, name)) for name in names] for row in found)
    return stream.getvalue()


def summaries(found: Iterable[Row]) -> list[Summary]:
    """Return one line per student and assignment, in the order of the rows."""
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in found:
        groups.setdefault((row.assignment, row.student_id), []).append(row)
    return [summary(group) for group in groups.values()]


def summary(group: Sequence[Row]) -> Summary:
    """Return the line of one student in one assignment, from at least one row."""

    def points(status: str) -> float:
        return sum(row.max_score for row in group if row.status == status and row.score is None)

    statuses = {row.status for row in group}
    if statuses == {Status.NOT_SUBMITTED}:
        status = Status.NOT_SUBMITTED
    else:
        unfinished = (Status.NOT_GRADABLE, Status.OUTDATED, Status.BY_HAND)
        status = next((each for each in unfinished if each in statuses), Status.GRADED)
    current = [row for row in group if row.status != Status.OUTDATED]
    penalty = sum({row.notebook: row.late_penalty for row in current}.values())
    return Summary(
        assignment=group[0].assignment,
        student_id=group[0].student_id,
        status=status,
        score=sum(row.score or 0 for row in group) - penalty,
        max_score=sum(row.max_score for row in group),
        waiting=points(Status.BY_HAND),
        not_gradable=points(Status.NOT_GRADABLE),
        outdated=points(Status.OUTDATED),
        late_penalty=penalty,
        timestamp=group[0].timestamp,
    )


def _text(value: Any) -> Any:
    """Return a CSV field that a spreadsheet will not run as a formula."""
    if value is None:
        return ""
    if isinstance(value, str):
        value = printable(value)
    if isinstance(value, str) and value[:1] in ("=", "+", "-", "@", "\t", "\r"):
        return f"'{value}"
    return f"{value:g}" if isinstance(value, float) else value
