"""Export grades as CSV: one row per student and question, with a status (nbgrader plugin)."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from nbgrader.api import Gradebook, MissingEntry
from nbgrader.coursedir import CourseDirectory
from nbgrader.plugins import ExportPlugin

from autograder import lesson as lessons
from autograder import records
from autograder.hidden import LessonError
from autograder.records import Record


@dataclass(frozen=True)
class Row:
    """One student's result in one question."""

    assignment: str
    student_id: str
    notebook: str
    question: str
    status: str
    """graded, needs manual grading, not gradable or not submitted."""
    score: float | None
    """None where there is no score (yet)."""
    max_score: float
    timestamp: str
    late_penalty: float
    """Points taken off the notebook for lateness, as nbgrader's plugin decided."""
    mistake: str
    reason: str
    sandbox: str
    """What confined the student's code; "none" if nothing did."""


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
    """Points of the questions that a person has still to grade."""
    not_gradable: float
    """Points of the questions that could not be graded."""
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
        found = [
            row
            for assignment in gradebook.assignments
            if not self.assignment or assignment.name in map(str, self.assignment)
            for row in rows(gradebook, assignment.name, coursedir)
            if not self.student or row.student_id in map(str, self.student)
        ]
        summary = file.with_name(f"{file.stem}_by_student{file.suffix}")
        _write(file, Row, found)
        _write(summary, Summary, summaries(found))
        self.log.info("Exported %d rows to %s, by student to %s", len(found), file, summary)


def _write(file: Path, kind: type, found: Iterable[Any]) -> None:
    names = [field.name for field in fields(kind)]
    with file.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(names)
        writer.writerows([_text(getattr(row, name)) for name in names] for row in found)


def summaries(found: Iterable[Row]) -> list[Summary]:
    """Return one line per student and assignment, in the order of the rows."""
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in found:
        groups.setdefault((row.assignment, row.student_id), []).append(row)
    return [_summary(group) for group in groups.values()]


def _summary(group: list[Row]) -> Summary:
    def points(status: str) -> float:
        return sum(row.max_score for row in group if row.status == status)

    statuses = {row.status for row in group}
    if statuses == {records.NOT_SUBMITTED}:
        status = records.NOT_SUBMITTED
    else:
        unfinished = (records.NOT_GRADABLE, records.BY_HAND)
        status = next((each for each in unfinished if each in statuses), records.GRADED)
    penalty = sum({row.notebook: row.late_penalty for row in group}.values())
    return Summary(
        assignment=group[0].assignment,
        student_id=group[0].student_id,
        status=status,
        score=sum(row.score or 0 for row in group) - penalty,
        max_score=sum(row.max_score for row in group),
        waiting=points(records.BY_HAND),
        not_gradable=points(records.NOT_GRADABLE),
        late_penalty=penalty,
        timestamp=group[0].timestamp,
    )


def _text(value: Any) -> Any:
    """Return a CSV field that a spreadsheet will not run as a formula."""
    if value is None:
        return ""
    if isinstance(value, str) and value[:1] in ("=", "+", "-", "@", "\t", "\r"):
        return f"'{value}"
    return f"{value:g}" if isinstance(value, float) else value


def students_of(gradebook: Gradebook, assignment: str, coursedir: CourseDirectory) -> list[str]:
    """Return all students: those in the gradebook and those who handed something in."""
    names = {student.id for student in gradebook.students}
    top = Path(coursedir.format_path(coursedir.submitted_directory, ".", "."))
    if top.is_dir():
        names |= {
            path.name
            for path in top.iterdir()
            if Path(
                coursedir.format_path(coursedir.submitted_directory, path.name, assignment)
            ).is_dir()
        }
    return sorted(names)


def rows(gradebook: Gradebook, assignment: str, coursedir: CourseDirectory) -> Iterator[Row]:
    """Yield the rows of one assignment, by student and in the order of the questions."""
    released = gradebook.find_assignment(assignment)
    names = _question_names(coursedir, assignment)
    order = {grade_id: number for number, grade_id in enumerate(names)}
    for student in students_of(gradebook, assignment, coursedir):
        folder = Path(coursedir.format_path(coursedir.submitted_directory, student, assignment))
        record = records.read(Path(coursedir.format_path(records.STEP, student, assignment)))
        try:
            submission = gradebook.find_submission(assignment, student)
        except MissingEntry:
            submission = None
        for notebook in sorted(released.notebooks, key=lambda notebook: notebook.name):
            for cell in sorted(
                [*notebook.grade_cells, *notebook.task_cells],
                key=lambda cell: (order.get(cell.name, len(order)), cell.name),
            ):
                name = names.get(cell.name, cell.name)
                yield _row(
                    released, student, notebook, cell, name, submission, record, folder.is_dir()
                )


def _question_names(coursedir: CourseDirectory, assignment: str) -> dict[str, str]:
    """Return the questions' names by graded cell, in the lesson's order; empty without a lesson."""
    source = Path(coursedir.format_path(coursedir.source_directory, ".", assignment))
    try:
        lesson = lessons.load(source.resolve())
    except LessonError:
        return {}
    return {question.grade_id: question.name for question in lesson.questions}


def _row(
    released: Any,
    student: str,
    notebook: Any,
    cell: Any,
    name: str,
    submission: Any,
    record: Record | None,
    submitted: bool,
) -> Row:
    question = record.questions.get(name) if record else None
    graded = record.notebooks.get(notebook.name) if record else None
    grade = penalty = None
    if submission is not None:
        for own in submission.notebooks:
            if own.notebook.name == notebook.name:
                penalty = own.late_submission_penalty
                grade = next((g for g in own.grades if g.cell.name == cell.name), None)
    status, reason, score = _status(grade, graded, submitted)
    if question is not None and not reason:
        reason = "; ".join(question.problems)
    return Row(
        assignment=released.name,
        student_id=student,
        notebook=notebook.name,
        question=name,
        status=status,
        score=score,
        max_score=cell.max_score,
        timestamp=str(submission.timestamp or "") if submission is not None else "",
        late_penalty=penalty or 0.0,
        mistake=(question.mistake or "") if question else "",
        reason=reason,
        sandbox=(record.sandbox or "none") if record else "",
    )


def _status(grade: Any, graded: Any, submitted: bool) -> tuple[str, str, float | None]:
    """Return the status, its reason and the score of one question.

    The record of the last grading run decides; a score is shown only if that run, or a person
    after it, gave it.
    """
    if not submitted and grade is None:
        return records.NOT_SUBMITTED, "", 0.0
    if graded is None:
        return records.NOT_GRADABLE, "it has not been graded yet", None
    if graded.status == records.NOT_SUBMITTED:
        return records.NOT_SUBMITTED, "", 0.0
    if graded.status == records.NOT_GRADABLE and (grade is None or grade.manual_score is None):
        return records.NOT_GRADABLE, graded.reason, None
    if grade is None:
        return records.NOT_GRADABLE, "the gradebook has no row for it", None
    if grade.needs_manual_grade and grade.manual_score is None:
        return records.BY_HAND, "", None
    return records.GRADED, "", grade.score
