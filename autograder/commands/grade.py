"""Grade one submission as a task of its own, for any process on any machine.

A `Task` names the course's folder, the lesson and the student, and can be sent anywhere the folder
can be reached. `grade` runs this course's autograde converter for that one student and says in a
small `Result` what came of it; scores are in the gradebook and reasons in the report by then.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import logging
import math
import os
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from nbgrader.converters.base import NbGraderException
from nbgrader.coursedir import CourseDirectory

from autograder.bounded.desk import Desk
from autograder.course import Course, load_course
from autograder.execution.sandbox import SandboxPolicy
from autograder.gradebook.database import explained
from autograder.lesson.model import Lesson
from autograder.notes import Kind, Note
from autograder.plugins import standings
from autograder.plugins.autograde import Autograde
from autograder.results import Status, SubmissionResult

GRADED = Status.GRADED
NOT_GRADABLE = Status.NOT_GRADABLE
BEFORE = "graded before"
FAILED = "failed"
"""Not graded, for a reason that is not the submission's."""


@dataclass(frozen=True)
class Task:
    """One submission to grade."""

    root: str
    """The course's folder, the same on all machines."""
    lesson: str
    student: str
    force: bool = False
    """Whether to grade it again if it has been graded."""
    begun: float = math.inf
    """When this run had it first, in seconds since the epoch, if that result has been lost."""


@dataclass(frozen=True)
class Result:
    """What came of one task."""

    student: str
    status: str
    """`GRADED`, `NOT_GRADABLE`, `BEFORE` or `FAILED`."""
    points: float = 0
    """Points so far, without those of written answers that a person has yet to grade."""
    max_points: float = 0
    """Points of all questions that have a score."""
    seconds: float = 0
    reasons: dict[str, str] = field(default_factory=dict)
    """Why notebooks are not gradable, by their names."""
    error: str = ""
    """Why it failed."""
    log: tuple[str, ...] = ()
    """Warnings and errors that were logged meanwhile."""

    @property
    def bad(self) -> bool:
        """Whether the submission has no complete result."""
        return self.status in (NOT_GRADABLE, FAILED)

    @property
    def why(self) -> str:
        """What to tell people about a bad one, in one line."""
        lines = [f"{name}: {reason}" for name, reason in self.reasons.items()]
        return " ".join("; ".join(lines or [self.error]).split())


class SingleStudentAutograde(Autograde):
    """The autograde converter for one student, whose id is taken literally."""

    student = ""
    taken = False
    """Whether the submission was to be graded."""

    @classmethod
    def of(cls, course: Course, task: Task) -> SingleStudentAutograde:
        """Return the converter for a task."""
        coursedir = CourseDirectory(config=course.config)
        coursedir.assignment_id = task.lesson
        one = cls(coursedir=coursedir, config=course.config)
        one.student, one.force = task.student, task.force
        return one

    def init_notebooks(self) -> None:
        """Choose this student's submission."""
        folder = self._format_source(self.coursedir.assignment_id, self.student)
        self.assignments: dict[str, list[str]] = {folder: []}
        self.notebooks: list[str] = []
        if not os.path.lexists(self.submitted(self.student).path):
            raise self.nothing_found(self.coursedir.assignment_id, self.student)

    def init_destination(self, assignment_id: str, student_id: str) -> bool:
        """Return whether the submission is to be graded now, and keep the answer."""
        self.taken = True  # also if that fails
        now = super().init_destination(assignment_id, student_id)
        self.taken = now or self.renewed
        return now

    def require_released(self) -> None:
        """Compare a lesson with the gradebook once per process; a changed file is a new lesson."""
        key = (str(self.coursedir.root), self.lesson.name)
        if _released.get(key) is not self.lesson:
            super().require_released()
            _released[key] = self.lesson

    def open_desk(self) -> Desk:
        """Return this process's desk for a lesson, which serves one submission after the other."""
        key = (str(self.coursedir.root), self.lesson.name)
        known, desk = _desks.get(key, (None, None))
        if desk is None or known is not self.lesson:
            if desk is not None:
                desk.close()
            desk = super().open_desk()
            _desks[key] = self.lesson, desk
        return desk

    def put_away(self) -> None:
        """Leave the desk to the next submission."""

    def give_up(self, reason: str) -> None:
        """Record that the submission has no result; it is tried again at the next run."""
        self.prepare()
        self.discard(self.student)
        self.ledger.fail(self.student, Note(Kind.GRADER_FAILED, reason))

    def result(self) -> SubmissionResult | None:
        """Return what has been kept of the submission."""
        return self.ledger.result(self.student)

    def result_time(self) -> float:
        """Return when that was, in seconds since the epoch, or 0."""
        return self.ledger.result_time(self.student)


_released: dict[tuple[str, str], Lesson] = {}
"""The lessons that were found as released, by course and name."""

_desks: dict[tuple[str, str], tuple[Lesson, Desk]] = {}
"""The desks of this process, by course and name, each with its lesson."""


@atexit.register
def close_desks() -> None:
    """End the processes of all desks."""
    for _, desk in _desks.values():
        desk.close()
    _desks.clear()


_one_at_a_time = threading.Lock()
"""A converter changes the working directory, which the threads of a process share."""

_course = functools.cache(load_course)


def tasks(course: Course, lesson: str, student: str | None, force: bool) -> list[Task]:
    """Return a task for every submission of a lesson, after making sure that it can be graded.

    The reference evidence is there and the gradebook has its tables when this returns, so that the
    tasks need not all make them.

    Args:
        course: the course.
        lesson: the lesson's name.
        student: whose submission to grade; by default everyone's.
        force: whether to grade those again that have been graded.

    Raises:
        CourseError: there is no such lesson, student, submission or gradebook.
        KernelStartError: student code cannot be confined, and the course requires it.
    """
    course.lesson(lesson)
    coursedir = CourseDirectory(config=course.config)
    coursedir.assignment_id = lesson
    coursedir.student_id = student if student is not None else "*"
    converter = Autograde(coursedir=coursedir, config=course.config)
    SandboxPolicy(parent=converter).check()
    with explained(coursedir.db_url):
        converter.prepare()
        with course.gradebook() as gradebook:
            gradebook.check_course()  # nbgrader's preprocessors expect its default course
    converter.init_notebooks()
    excluded = coursedir.student_id_exclude.split(",")
    students = sorted(map(converter.student_of, converter.assignments))
    return [
        Task(str(course.root), lesson, name, force) for name in students if name not in excluded
    ]


def outdated(course: Course, lesson: str) -> list[tuple[str, str]]:
    """Return the students whose results are not up to date, after a run, and why.

    They are those whom the run was not to grade, or whose submissions are not there any more.
    """
    with course.gradebook() as gradebook:
        found = list(standings.results(gradebook, lesson, course.coursedir))
    return [(result.student_id, result.outdated) for result in found if result.outdated]


def grade(task: Task) -> Result:
    """Grade one submission and return what came of it; errors are results, too."""
    with _one_at_a_time, _captured() as log:
        start = time.monotonic()
        error = ""
        record = None
        taken = True
        try:
            one = SingleStudentAutograde.of(_course(Path(task.root)), task)
            with contextlib.suppress(NbGraderException):  # not gradable: the record says why
                one.start()
            taken = one.taken or one.result_time() >= task.begun
            record = one.result()
        except SystemExit:
            error = log[-1] if log else "it stopped without a reason"
        except Exception as caught:
            error = f"{type(caught).__name__}: {caught}"
        seconds = time.monotonic() - start
    if record is None:
        return Result(
            task.student, FAILED, seconds=seconds, error=error or "no report", log=tuple(log)
        )
    status = (NOT_GRADABLE if record.not_gradable else GRADED) if taken else BEFORE
    scored = [question for question in record.questions.values() if question.points is not None]
    return Result(
        task.student,
        status,
        points=sum(question.points or 0 for question in scored),
        max_points=sum(question.max_points for question in scored),
        seconds=seconds,
        reasons=record.not_gradable,
        log=tuple(log),
    )


def give_up(task: Task, reason: str) -> Result:
    """Write down that a task could not be done, and why; return that as its result."""
    with _captured() as log, contextlib.suppress(Exception):
        SingleStudentAutograde.of(_course(Path(task.root)), task).give_up(reason)
    return Result(task.student, FAILED, error=reason, log=tuple(log))


def busy() -> bool:
    """Return whether this process is grading a submission."""
    return _one_at_a_time.locked()


class _Lines(logging.Handler):
    """Keeps what is logged, and Python's warnings apart from it."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        if record.name != "py.warnings":
            self.lines.append(record.getMessage())


@contextlib.contextmanager
def _captured() -> Iterator[list[str]]:
    """Keep warnings and errors from the terminal, where they would disturb the progress bar."""
    handler = _Lines()
    names = ("", "traitlets", "tornado.application", "py.warnings")
    loggers: list[tuple[logging.Logger, Any, int, bool]] = []
    logging.captureWarnings(True)
    for logger in map(logging.getLogger, names):
        loggers.append((logger, logger.handlers, logger.level, logger.propagate))
        logger.handlers, logger.propagate = [handler], False
        logger.setLevel(logging.WARNING)
    try:
        yield handler.lines
    finally:
        for logger, handlers, level, propagate in loggers:
            logger.handlers, logger.propagate = handlers, propagate
            logger.setLevel(level)
        logging.captureWarnings(False)
