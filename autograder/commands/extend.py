"""Give one student more time: an extension in the gradebook (a process of its own)."""

from __future__ import annotations

import datetime
import shlex
from pathlib import Path
from typing import Any

from nbgrader.api import Gradebook, MissingEntry

from autograder.course import Course
from autograder.errors import CourseError
from autograder.gradebook import database
from autograder.gradebook.lateness import set_due_date


def extend(
    course: Course, lesson: str, student: str, time: datetime.timedelta
) -> datetime.datetime | None:
    """Give a student more time for a lesson, in the place of what was given before.

    Args:
        course: the course.
        lesson: the lesson's name.
        student: the student's id.
        time: the time from the due date on; 0 takes an extension back.

    Returns:
        The student's due date; None if there is none and no extension was to be taken back.

    Raises:
        CourseError: there is no such lesson, student, gradebook or due date.
    """
    course.lesson(lesson)
    url = course.coursedir.db_url
    database.require(url, lesson)
    with database.explained(url), course.gradebook() as gradebook:
        assignment = _assignment(gradebook, lesson)
        if assignment.duedate is None and time:
            raise CourseError(
                f"{lesson} has no due date, so there is nothing to extend. "
                f"Run: {set_due_date(lesson)}"
            )
        _enter(course, gradebook, lesson, student)
        gradebook.grant_extension(lesson, student, minutes=time.total_seconds() / 60)
        due: datetime.datetime | None = assignment.duedate
        return due + time if due else None


def _assignment(gradebook: Gradebook, lesson: str) -> Any:
    try:
        return gradebook.find_assignment(lesson)
    except MissingEntry:
        raise CourseError(
            f"{lesson} is not in the gradebook. Run: autograder build {lesson}"
        ) from None


def _enter(course: Course, gradebook: Gradebook, lesson: str, student: str) -> None:
    """Make sure that the gradebook has a row for the extension."""
    coursedir = course.coursedir
    folder = coursedir.format_path(coursedir.submitted_directory, student, lesson)
    try:
        gradebook.find_student(student)
    except MissingEntry:
        if not Path(folder).is_dir():
            raise CourseError(
                f"There is no student {student!r} in the gradebook. If that is no mistake, run: "
                f"nbgrader db student add {shlex.quote(student)}"
            ) from None
        gradebook.add_student(student)
    try:
        gradebook.find_submission(lesson, student)
    except MissingEntry:
        with gradebook.db.no_autoflush:  # nbgrader reads before the new row is in the session
            gradebook.add_submission(lesson, student)
