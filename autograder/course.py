"""The course that a command works on: its folder, its options and its lessons."""

from __future__ import annotations

import contextlib
import fnmatch
import logging
import os
import tempfile
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from nbgrader.api import Gradebook
from nbgrader.coursedir import CourseDirectory
from traitlets.config import Config
from traitlets.config.loader import PyFileConfigLoader

from autograder.errors import CourseError
from autograder.files import obstacle
from autograder.gradebook import database
from autograder.lesson import model as lessons
from autograder.lesson.model import Lesson
from autograder.notes import NOTHING, Kind, Note
from autograder.sanitize.text import printable

CONFIG_FILE = "nbgrader_config.py"


@dataclass(frozen=True)
class StudentFolder:
    """What a student has for an assignment in one step's directory."""

    student: str
    """The student's id: the folder's name in Unicode's composed form, with what no gradebook can
    hold shown as an escape."""
    path: Path
    problem: Note = NOTHING
    """Why it must not be opened."""


def student_id(name: str) -> str:
    """Return the id of the student whose folder has a name.

    A name that is no UTF-8 is shown with escapes such as ``\\xe9``; Unicode's two ways to write é
    are one.
    """
    return printable(unicodedata.normalize("NFC", name), line=True)


def folders_of_students(coursedir: CourseDirectory, directory: str) -> dict[str, StudentFolder]:
    """Return what the chosen students have for the assignment in one step's directory, by id.

    nbgrader looks for ``submitted/*/ASSIGNMENT``, and so misses a student called ``b[1]``. Here the
    directory is listed, and the chosen student is first taken literally and then as a pattern.

    Args:
        coursedir: the course, with the assignment and the choice of students.
        directory: the step's directory, for example ``coursedir.submitted_directory``.
    """
    wanted = coursedir.student_id
    found = all_folders(coursedir, directory, coursedir.assignment_id)
    if wanted == "*":
        return found
    if student_id(wanted) in found:
        return {student_id(wanted): found[student_id(wanted)]}
    return {name: one for name, one in found.items() if fnmatch.fnmatchcase(name, wanted)}


def all_folders(
    coursedir: CourseDirectory, directory: str, assignment: str, student: str | None = None
) -> dict[str, StudentFolder]:
    """Return what all students have for an assignment in one step's directory, by id.

    With ``student`` the folders of the others are not looked at; there may be hundreds.
    """
    top = Path(coursedir.format_path(directory, ".", "."))
    found: dict[str, StudentFolder] = {}
    for name in sorted(os.listdir(top)) if top.is_dir() else []:
        own = student_id(name)
        path = Path(coursedir.format_path(directory, name, assignment))
        if student not in (None, own) or not os.path.lexists(path):
            continue
        problem = obstacle(path, top)
        if own in found:
            problem = Note(
                Kind.TWO_FOLDERS,
                f"two folders are called {own}, written in two ways; keep one of them",
            )
        found[own] = StudentFolder(own, path, problem)
    return found


ROOM = 2**20
"""Bytes for which there must be room where results are written."""


def require_writable(folder: str | Path, what: str) -> None:
    """Make sure that something can be written into a folder, before anything is deleted there.

    Permissions alone do not say so: a disk may be full, or mounted for reading.

    Args:
        folder: the folder; if there is none, the nearest one above it in which to make it.
        what: what is to be written, for the message.

    Raises:
        CourseError: it cannot be written.
    """
    place = Path(folder)
    while not os.path.lexists(place) and place != place.parent:
        place = place.parent
    try:
        with tempfile.NamedTemporaryFile(dir=place, prefix=".ag-") as file:
            file.write(b"\0" * ROOM)
            file.flush()
    except OSError as error:
        raise CourseError(
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
            CourseError: there is none of that name, or it breaks a rule.
        """
        known = self.lesson_names()
        if name not in known:
            listed = ", ".join(known) if known else "none"
            raise CourseError(
                f"There is no lesson {name!r} in {self.source}; the lessons are: {listed}."
            )
        return lessons.load((self.source / name).resolve(), self.config)

    def chosen(self, name: str | None) -> list[Lesson]:
        """Return the named lesson, or all of them.

        Raises:
            CourseError: there is no such lesson, or none at all.
        """
        if name is not None:
            return [self.lesson(name)]
        names = self.lesson_names()
        if not names:
            raise CourseError(f"There is no lesson in {self.source}.")
        return [self.lesson(each) for each in names]

    @contextlib.contextmanager
    def gradebook(self) -> Iterator[Gradebook]:
        """Open the gradebook.

        Raises:
            CourseError: it was made by an older nbgrader.
        """
        with Gradebook(self.coursedir.db_url, self.coursedir.course_id) as gradebook:
            database.require_current(gradebook.engine)
            yield gradebook


def find_course(start: Path) -> Course:
    """Return the course that the folder ``start`` belongs to: the nearest one upwards.

    Raises:
        CourseError: no folder from ``start`` upwards has an ``nbgrader_config.py``.
    """
    for folder in (start, *start.parents):
        if (folder / CONFIG_FILE).is_file():
            return load_course(folder)
    raise CourseError(
        f"There is no {CONFIG_FILE} in {start} or above it. Change to the course's folder, "
        "or name it with --course."
    )


def load_course(root: Path) -> Course:
    """Return the course in the folder ``root``, with the options of its ``nbgrader_config.py``."""
    try:
        config = PyFileConfigLoader(CONFIG_FILE, path=str(root)).load_config()
    except Exception as error:  # the file is Python, and may fail in any way
        raise CourseError(
            f"{root / CONFIG_FILE} cannot be used: {type(error).__name__}: {error}"
        ) from error
    logging.getLogger("alembic").setLevel(logging.WARNING)
    return Course(config, CourseDirectory(config=config))
