"""What is known of each student in an assignment, as it is true now (grading process).

Scores are the gradebook's, the rest is what the last grading run kept. A result of the past, for
another lesson, due date or submission than there is now, is told as that.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nbgrader.api import (
    BaseCell,
    Grade,
    Gradebook,
    Notebook,
    SubmittedAssignment,
    SubmittedNotebook,
)
from nbgrader.coursedir import CourseDirectory

from autograder.course import all_folders
from autograder.errors import CourseError
from autograder.gradebook import lateness
from autograder.lesson import model as lessons
from autograder.lesson.model import Lesson
from autograder.notes import NOTHING, Kind, Note, kind_of
from autograder.results import REPORTS, QuestionResult, Status, SubmissionResult, read_result

NOT_YET = Note(Kind.NOT_YET, "it has not been graded yet")
"""The reason of a submission that no run has graded."""

HAND_BEFORE = "graded by hand before the last grading run; look at it again in Formgrader"
"""Why a question with a score needs manual grading."""

TOO_MUCH = "a person gave it {given:g} points, and it is worth {worth:g} now; grade it again"

NO_ROW = Note(Kind.GRADER_FAILED, "the gradebook has no row for it")

UNKNOWN = "the gradebook does not know this student; if that is a mistake, run: {command}"
"""Why a submission has no result although it was graded: somebody has removed the student."""

GONE = (
    "there is no submission in {folder} any more, so that its score is not shown; put it back, or "
    "if the student was renamed or has left, run: {command}"
)
"""Why a result is outdated whose files have been removed or renamed."""

LESSON_CHANGED = "the lesson has changed since it was graded"
LATENESS_CHANGED = "its due date or extension has changed since it was graded"


@dataclass(frozen=True)
class Row:
    """One student's result in one question."""

    assignment: str
    student_id: str
    notebook: str
    question: str
    status: str
    """graded, needs manual grading, outdated, not gradable or not submitted."""
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
    graded_with: str
    """The versions of Python and NumPy that ran the student's code."""


def students_of(gradebook: Gradebook, assignment: str, coursedir: CourseDirectory) -> list[str]:
    """Return all students: those in the gradebook and those who handed something in."""
    folders = all_folders(coursedir, coursedir.submitted_directory, assignment)
    return sorted({student.id for student in gradebook.students}.union(folders))


def rows(gradebook: Gradebook, assignment: str, coursedir: CourseDirectory) -> Iterator[Row]:
    """Yield the rows of one assignment, by student and in the order of the questions."""
    for student in results(gradebook, assignment, coursedir):
        yield from student.rows


@dataclass(frozen=True)
class StudentResult:
    """All that is known of one student in one assignment."""

    student_id: str
    rows: tuple[Row, ...]
    """A row per question, in the order of the questions."""
    record: SubmissionResult | None
    """What the last grading run said; None if there was none."""
    known: bool = True
    """Whether the gradebook knows the student."""

    @property
    def outdated(self) -> str:
        """Why the result is one of the past; empty if it is not."""
        return next((row.reason for row in self.rows if row.status == Status.OUTDATED), "")


def results(
    gradebook: Gradebook, assignment: str, coursedir: CourseDirectory
) -> Iterator[StudentResult]:
    """Yield the results of one assignment by student.

    The number of queries does not depend on the number of students.

    Raises:
        MissingEntry: the gradebook has no such assignment.
    """
    released = gradebook.find_assignment(assignment)
    lesson = _lesson(coursedir, assignment)
    cells = _cells(released, lesson)
    book = _Book(gradebook, released)
    folders = all_folders(coursedir, coursedir.submitted_directory, assignment)
    for student in students_of(gradebook, assignment, coursedir):
        folder = Path(coursedir.format_path(coursedir.submitted_directory, student, assignment))
        folder = folders[student].path if student in folders else folder
        record = read_result(Path(coursedir.format_path(REPORTS, student, assignment)))
        one = _Student(student, book, record, folder, lesson)
        found = tuple(_row(assignment, cell, one) for cell in cells)
        yield StudentResult(student, found, record, student in book.students)


@dataclass(frozen=True)
class _Cell:
    """A graded cell as the gradebook knows it."""

    notebook: str
    name: str
    question: str
    max_score: float


def _cells(released: Any, lesson: Lesson | None) -> list[_Cell]:
    """Return the graded cells of an assignment, in the order of the lesson's questions."""
    names = {question.grade_id: question.name for question in lesson.questions} if lesson else {}
    order = {grade_id: number for number, grade_id in enumerate(names)}
    found = [
        _Cell(notebook.name, cell.name, names.get(cell.name, cell.name), cell.max_score)
        for notebook in released.notebooks
        for cell in [*notebook.grade_cells, *notebook.task_cells]
    ]
    return sorted(
        found, key=lambda cell: (cell.notebook, order.get(cell.name, len(order)), cell.name)
    )


class _Book:
    """What the gradebook holds of an assignment, read at once for all students."""

    def __init__(self, gradebook: Gradebook, released: Any) -> None:
        def select(*columns: Any) -> Any:
            return gradebook.db.query(SubmittedAssignment.student_id, *columns).filter(
                SubmittedAssignment.assignment_id == released.id
            )

        def of_notebooks(*columns: Any) -> Any:
            return (
                select(Notebook.name, *columns)
                .join(SubmittedNotebook, SubmittedNotebook.assignment_id == SubmittedAssignment.id)
                .join(Notebook, SubmittedNotebook.notebook_id == Notebook.id)
            )

        penalty = SubmittedNotebook.late_submission_penalty
        grades = (
            of_notebooks(BaseCell.name, Grade.score, Grade.manual_score, Grade.needs_manual_grade)
            .join(Grade, Grade.notebook_id == SubmittedNotebook.id)
            .join(BaseCell, Grade.cell_id == BaseCell.id)
        )
        times = select(SubmittedAssignment.timestamp, SubmittedAssignment.extension)
        self.students = {student.id for student in gradebook.students}
        self.timestamps: dict[str, Any] = {}
        self.late: dict[str, float] = {}
        for student, timestamp, extension in times:
            self.timestamps[student] = timestamp
            self.late[student] = lateness.seconds_late(timestamp, released.duedate, extension)
        self.penalties: dict[tuple[str, str], float | None] = {
            (student, notebook): points for student, notebook, points in of_notebooks(penalty)
        }
        self.grades: dict[tuple[str, str, str], Any] = {tuple(row[:3]): row for row in grades}


def _lesson(coursedir: CourseDirectory, assignment: str) -> Lesson | None:
    """Return the lesson as it is now; None if there is none that can be used."""
    source = Path(coursedir.format_path(coursedir.source_directory, ".", assignment))
    try:
        return lessons.load(source.resolve(), coursedir.config)
    except CourseError:
        return None


@dataclass(frozen=True)
class _Student:
    """What is known of one student, and how far it is true of the lesson as it is now."""

    id: str
    book: _Book
    record: SubmissionResult | None
    folder: Path
    """Where the submission is, if there is one."""
    lesson: Lesson | None

    def outdated(self, cell: _Cell, question: QuestionResult | None) -> str:
        """Return why the result in a question is one of the past; empty if it is not."""
        if self.record is None:
            return ""
        graded = self.record.notebooks[cell.notebook]
        now = {each.name: each.fingerprint for each in self.lesson.notebooks} if self.lesson else {}
        points_differ = question is not None and question.max_points != cell.max_score
        if points_differ or graded.lesson != now.get(cell.notebook, graded.lesson):
            return LESSON_CHANGED
        if self.record.late != self.book.late.get(self.id, 0.0):
            return LATENESS_CHANGED
        return ""


def _row(assignment: str, cell: _Cell, one: _Student) -> Row:
    record = one.record
    question = record.questions.get(cell.question) if record else None
    status, reason, score = _status(assignment, cell, one, question)
    if question is not None and not reason:
        reason = "; ".join(question.problems)
    return Row(
        assignment=assignment,
        student_id=one.id,
        notebook=cell.notebook,
        question=cell.question,
        status=status,
        score=score,
        max_score=cell.max_score,
        timestamp=str(one.book.timestamps.get(one.id) or ""),
        late_penalty=one.book.penalties.get((one.id, cell.notebook)) or 0.0,
        mistake=(question.mistake or "") if question else "",
        reason=reason,
        sandbox=(record.sandbox or "none") if record else "",
        graded_with=record.graded_with if record else "",
    )


def _status(
    assignment: str, cell: _Cell, one: _Student, question: QuestionResult | None
) -> tuple[str, str, float | None]:
    """Return the status, its reason and the score of one question.

    The record of the last grading run decides; a score is shown only if that run, or a person
    after it, gave it, and only of the submission, the lesson and the due date that there are now.
    """
    grade = one.book.grades.get((one.id, cell.notebook, cell.name))
    graded = one.record.notebooks.get(cell.notebook) if one.record else None
    scored = grade is not None and (grade.score or grade.manual_score is not None)
    if not os.path.lexists(one.folder):
        if grade is None or (one.record is None and not scored):
            return Status.NOT_SUBMITTED, "", 0.0
        return Status.OUTDATED, gone(assignment, one.id, one.folder), None
    if graded is None:
        return Status.NOT_GRADABLE, NOT_YET, None
    if graded.status == Status.NOT_SUBMITTED:
        return Status.NOT_SUBMITTED, "", 0.0
    if graded.status == Status.NOT_GRADABLE and (grade is None or grade.manual_score is None):
        return Status.NOT_GRADABLE, graded.reason, None
    if grade is None:
        known = one.id in one.book.students
        return Status.NOT_GRADABLE, NO_ROW if known else unknown(assignment, one.id), None
    lost = question is not None and question.status == Status.NOT_GRADABLE
    if question is not None and lost and grade.manual_score is None:
        return Status.NOT_GRADABLE, _joined(question.problems), None
    old = one.outdated(cell, question)
    if old:
        return Status.OUTDATED, f"{old}; run: autograder grade {assignment}", None
    if grade.manual_score is not None and grade.manual_score > cell.max_score:
        return (
            Status.BY_HAND,
            TOO_MUCH.format(given=grade.manual_score, worth=cell.max_score),
            None,
        )
    if grade.needs_manual_grade:
        before = grade.manual_score is not None
        return Status.BY_HAND, HAND_BEFORE if before else "", grade.manual_score
    return Status.GRADED, "", grade.score


def _joined(problems: Sequence[str]) -> str:
    """Return the reasons of a question as one, of the first one's kind."""
    return Note(kind_of(problems[0]), "; ".join(problems)) if problems else NOTHING


def unknown(assignment: str, student: str) -> Note:
    """Return what to say of a graded student whom the gradebook does not know any more."""
    command = f"autograder grade {assignment} --student {shlex.quote(student)} --force"
    return Note(Kind.UNKNOWN_STUDENT, UNKNOWN.format(command=command))


def gone(assignment: str, student: str, folder: Path) -> str:
    """Return what to say of a result whose submission is not there any more."""
    command = f"nbgrader db student remove {shlex.quote(student)} --force"
    return GONE.format(folder=folder, command=command)
