"""Export grades as CSV: one row per student and question, with a status (nbgrader plugin)."""

from __future__ import annotations

import csv
from collections.abc import Iterator
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


class Export(ExportPlugin):
    """Writes a CSV file; run it as ``nbgrader export`` (``--to FILE``, default ``grades.csv``)."""

    def export(self, gradebook: Gradebook) -> None:
        """Write the rows of the chosen assignments and students (default: all)."""
        file = Path(self.to or "grades.csv")
        coursedir = CourseDirectory(parent=self)
        count = 0
        with file.open("w", newline="", encoding="utf-8") as stream:
            writer = csv.writer(stream)
            writer.writerow([field.name for field in fields(Row)])
            for assignment in gradebook.assignments:
                if self.assignment and assignment.name not in map(str, self.assignment):
                    continue
                for row in rows(gradebook, assignment.name, coursedir):
                    if self.student and row.student_id not in map(str, self.student):
                        continue
                    writer.writerow([_text(getattr(row, field.name)) for field in fields(Row)])
                    count += 1
        self.log.info("Exported %d rows to %s", count, file)


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
