"""Make ``release/`` and ``solutions/`` from ``lessons/`` with nbgrader's own converters."""

from __future__ import annotations

import filecmp
import logging
import shutil
import tempfile
from pathlib import Path

from nbgrader.converters import GenerateAssignment, GenerateSolution
from nbgrader.converters.base import BaseConverter, NbGraderException

from autograder.course import CONFIG_FILE, Course, load_course
from autograder.hidden import LessonError
from autograder.reference import CACHE


class _Log(logging.Handler):
    """Keeps the errors that a converter logs, for a sentence of ours."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(record.getMessage())


def build(course: Course, lesson: str) -> list[Path]:
    """Generate the release and the executed solutions of a lesson, and update the gradebook.

    Returns:
        The two folders.

    Raises:
        LessonError: nbgrader refuses; the message repeats its reason.
    """
    coursedir = course.coursedir
    coursedir.assignment_id = lesson
    for converter in (GenerateAssignment, GenerateSolution):
        _run(converter(coursedir=coursedir, config=course.config), lesson)
    return [
        course.root / step / lesson
        for step in (coursedir.release_directory, coursedir.solution_directory)
    ]


def release(course: Course, lesson: str) -> None:
    """Generate the release alone and enter the lesson in the gradebook.

    Raises:
        LessonError: nbgrader refuses; the message repeats its reason.
    """
    course.coursedir.assignment_id = lesson
    _run(GenerateAssignment(coursedir=course.coursedir, config=course.config), lesson)


def _run(converter: BaseConverter, lesson: str) -> None:
    log = _Log()
    converter.force = True
    converter.log.addHandler(log)
    level, propagate = converter.log.level, converter.log.propagate
    converter.log.setLevel(logging.ERROR)
    converter.log.propagate = False
    try:
        converter.start()
    except NbGraderException as error:
        raise LessonError(
            f"{type(converter).__name__} fails for {lesson}: {(log.lines or [str(error)])[0]}"
        ) from error
    finally:
        converter.log.removeHandler(log)
        converter.log.setLevel(level)
        converter.log.propagate = propagate


def stale(course: Course, lesson: str) -> list[str]:
    """Return the generated files of a lesson that its source would build otherwise."""
    with tempfile.TemporaryDirectory(prefix="ag-") as name:
        copy = copy_course(course, lesson, Path(name) / "course")
        build(copy, lesson)
        found: list[str] = []
        for step in (copy.coursedir.release_directory, copy.coursedir.solution_directory):
            fresh, committed = copy.root / step / lesson, course.root / step / lesson
            names = {
                path.relative_to(folder)
                for folder in (fresh, committed)
                for path in folder.rglob("*")
                if path.is_file() and ".ipynb_checkpoints" not in path.parts
            }
            for file in sorted(names):
                pair = fresh / file, committed / file
                if not all(path.is_file() for path in pair) or not filecmp.cmp(
                    *pair, shallow=False
                ):
                    found.append(str(Path(step) / lesson / file))
    return found


def copy_course(course: Course, lesson: str, folder: Path) -> Course:
    """Make a course in ``folder`` with the same options and one lesson, and return it."""
    source = folder / course.coursedir.source_directory / lesson
    shutil.copytree(
        course.source / lesson, source, ignore=shutil.ignore_patterns(".ipynb_checkpoints")
    )
    shutil.copy(course.root / CONFIG_FILE, folder / CONFIG_FILE)
    if (course.root / CACHE).is_dir():
        shutil.copytree(course.root / CACHE, folder / CACHE, dirs_exist_ok=True)
    return load_course(folder)
