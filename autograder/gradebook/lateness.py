"""How late a submission is, an extension counted in (grading process)."""

from __future__ import annotations

import datetime
import re

from nbgrader.api import Assignment, Gradebook, SubmittedAssignment

from autograder.errors import CourseError

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
            f"Run: {set_due_date(assignment)}"
        )


def set_due_date(lesson: str) -> str:
    """Return the command that gives a lesson a due date."""
    return f'nbgrader db assignment add {lesson} --duedate "2030-01-31 23:59:00 UTC"'
