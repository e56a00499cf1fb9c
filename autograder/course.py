"""The course that a command works on: its folder, its options and its lessons."""

from __future__ import annotations

import contextlib
import fnmatch
import logging
import os
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from nbgrader.api import Gradebook
from nbgrader.coursedir import CourseDirectory
from traitlets.config import Config
from traitlets.config.loader import PyFileConfigLoader

from autograder import lesson as lessons
from autograder.hidden import LessonError
from autograder.lesson import Lesson

CONFIG_FILE = "nbgrader_config.py"


def folders_of_students(coursedir: CourseDirectory, directory: str) -> dict[str, Path]:
    """Return the folders that the chosen students have for the assignment in one step's directory.

    nbgrader looks for ``submitted/*/ASSIGNMENT``, and so misses a student called ``b[1]``. Here the
    directory is listed, and the chosen student is first taken literally and then as a pattern.

    Args:
        coursedir: the course, with the assignment and the choice of students.
        directory: the step's directory, for example ``coursedir.submitted_directory``.
    """
    assignment, wanted = coursedir.assignment_id, coursedir.student_id
    top = Path(coursedir.format_path(directory, ".", "."))
    names = sorted(path.name for path in top.iterdir()) if top.is_dir() else []
    if wanted != "*":
        names = [name for name in names if name == wanted] or [
            name for name in names if fnmatch.fnmatchcase(name, wanted)
        ]
    folders = {name: Path(coursedir.format_path(directory, name, assignment)) for name in names}
    return {name: folder for name, folder in folders.items() if folder.is_dir()}


ROOM = 2**20
"""Bytes for which there must be room where results are written."""


def require_writable(folder: str | Path, what: str) -> None:
    """Make sure that something can be written into a folder, before anything is deleted there.

    Permissions alone do not say so: a disk may be full, or mounted for reading.

    Args:
        folder: the folder; if there is none, the nearest one above it in which to make it.
        what: what is to be written, for the message.

    Raises:
        LessonError: it cannot be written.
    """
    place = Path(folder)
    while not os.path.lexists(place) and place != place.parent:
        place = place.parent
    try:
        with tempfile.NamedTemporaryFile(dir=place, prefix=".ag-") as file:
            file.write(b"\0" * ROOM)
            file.flush()
    except OSError as error:
        raise LessonError(
            f"The {what} cannot be written to {folder}: {error.strerror}. Nothing was changed."
        ) from error


@dataclass(frozen=True)
class Course:
    """A folder with an ``nbgrader_config.py``."""

    config: Config
    coursedir: CourseDirectory

    @property
    def root(self) -> Path:
        """The course's folder."""
        return Path(self.coursedir.root)

    @property
    def source(self) -> Path:
        """The folder that holds the lessons."""
        return self.root / str(self.coursedir.source_directory)

    def lesson_names(self) -> list[str]:
        """Return the names of all lessons in teaching order."""
        if not self.source.is_dir():
            return []
        return sorted(path.name for path in self.source.iterdir() if any(path.glob("*.ipynb")))

    def lesson(self, name: str) -> Lesson:
        """Return a lesson.

        Raises:
            LessonError: there is none of that name, or it breaks a rule.
        """
        known = self.lesson_names()
        if name not in known:
            listed = ", ".join(known) if known else "none"
            raise LessonError(
                f"There is no lesson {name!r} in {self.source}; the lessons are: {listed}."
            )
        return lessons.load((self.source / name).resolve(), self.config)

    def chosen(self, name: str | None) -> list[Lesson]:
        """Return the named lesson, or all of them.

        Raises:
            LessonError: there is no such lesson, or none at all.
        """
        if name is not None:
            return [self.lesson(name)]
        names = self.lesson_names()
        if not names:
            raise LessonError(f"There is no lesson in {self.source}.")
        return [self.lesson(each) for each in names]

    @contextlib.contextmanager
    def gradebook(self) -> Iterator[Gradebook]:
        """Open the gradebook."""
        with Gradebook(self.coursedir.db_url, self.coursedir.course_id) as gradebook:
            yield gradebook


def find_course(start: Path) -> Course:
    """Return the course that the folder ``start`` belongs to: the nearest one upwards.

    Raises:
        LessonError: no folder from ``start`` upwards has an ``nbgrader_config.py``.
    """
    for folder in (start, *start.parents):
        if (folder / CONFIG_FILE).is_file():
            return load_course(folder)
    raise LessonError(
        f"There is no {CONFIG_FILE} in {start} or above it. Change to the course's folder, "
        "or name it with --course."
    )


def load_course(root: Path) -> Course:
    """Return the course in the folder ``root``, with the options of its ``nbgrader_config.py``."""
    try:
        config = PyFileConfigLoader(CONFIG_FILE, path=str(root)).load_config()
    except Exception as error:  # the file is Python, and may fail in any way
        raise LessonError(
            f"{root / CONFIG_FILE} cannot be used: {type(error).__name__}: {error}"
        ) from error
    logging.getLogger("alembic").setLevel(logging.WARNING)
    return Course(config, CourseDirectory(config=config))
