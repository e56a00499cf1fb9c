"""How late a submission is, and extensions: more time for one student."""

from __future__ import annotations

import datetime
import re
import shlex
from pathlib import Path
from typing import Any

from nbgrader.api import Assignment, Gradebook, MissingEntry, SubmittedAssignment

from autograder.course import Course
from autograder.errors import CourseError
from autograder.gradebook import database

_DURATION = re.compile(r"(?:(\d+)w)?(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m)?")

LONGEST = datetime.timedelta(weeks=520)


def parse_duration(text: str) -> datetime.timedelta:
    """Return the time in a text such as ``2d``, ``36h``, ``1w2d`` or ``90m``; 0 is none.

    Raises:
        ValueError: it says no time, or one that is no extension any more.
    """
    text = text.strip().lower()
    found = _DURATION.fullmatch(text)
    if text != "0" and (not text or not text.isascii() or found is None or len(text) > 20):
        raise ValueError(f"{text!r} is no time; write 2d, 36h, 1w2d or 90m, or 0 for none")
    weeks, days, hours, minutes = (
        int(part or 0) for part in (found.groups() if found else [0] * 4)
    )
    try:
        time = datetime.timedelta(weeks=weeks, days=days, hours=hours, minutes=minutes)
    except OverflowError:
        time = LONGEST + LONGEST
    if time > LONGEST:
        raise ValueError(f"{text!r} is more than ten years")
    return time


def seconds_late(
    timestamp: datetime.datetime | None,
    due: datetime.datetime | None,
    extension: datetime.timedelta | None,
) -> float:
    """Return by how many seconds a submission is late, as nbgrader counts.

    Args:
        timestamp: when it was handed in; None if that is not known, which counts as in time.
        due: when it was due; None if any time is good.
        extension: the student's extension, if there is one.
    """
    if timestamp is None or due is None:
        return 0.0
    return max(0.0, (timestamp - due - (extension or datetime.timedelta())).total_seconds())


def of_submission(submission: SubmittedAssignment) -> float:
    """Return by how many seconds a submission in the gradebook is late."""
    due = submission.assignment.duedate
    return seconds_late(submission.timestamp, due, submission.extension)


def require_due_date(gradebook: Gradebook, assignment: str) -> None:
    """Make sure that extensions extend something; nbgrader fails for each student if not.

    Raises:
        CourseError: a student has an extension, and the assignment has no due date.
    """
    extended = (
        gradebook.db.query(SubmittedAssignment.id)
        .join(Assignment, Assignment.id == SubmittedAssignment.assignment_id)
        .filter(Assignment.name == assignment)
        .filter(Assignment.duedate.is_(None), SubmittedAssignment.extension.is_not(None))
    )
    if extended.first() is not None:
        raise CourseError(
            f"{assignment} has no due date, and a student has an extension of it. "
            f"Run: {_set_due_date(assignment)}"
        )


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
                f"Run: {_set_due_date(lesson)}"
            )
        _enter(course, gradebook, lesson, student)
        gradebook.grant_extension(lesson, student, minutes=time.total_seconds() / 60)
        due: datetime.datetime | None = assignment.duedate
        return due + time if due else None


def _set_due_date(lesson: str) -> str:
    return f'nbgrader db assignment add {lesson} --duedate "2030-01-31 23:59:00 UTC"'


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
