"""Make ``release/`` and ``solutions/`` from ``lessons/`` with nbgrader's own converters.

They write into a folder and a gradebook of their own first. What is there is replaced when all of
the new is complete, and the course's gradebook follows in one transaction, so that a build that
fails has changed nothing.
"""

from __future__ import annotations

import contextlib
import filecmp
import logging
import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from nbgrader.api import Gradebook
from nbgrader.converters import GenerateAssignment, GenerateSolution
from nbgrader.converters.base import BaseConverter, NbGraderException
from nbgrader.coursedir import CourseDirectory
from sqlalchemy.exc import SQLAlchemyError

from autograder.authoring import leaks
from autograder.course import CONFIG_FILE, Course, load_course, require_writable
from autograder.errors import CourseError
from autograder.gradebook import database, structure
from autograder.lesson.model import Lesson
from autograder.verdict.reference import CACHE


class _Log(logging.Handler):
    """Keeps the errors that a converter logs, for a sentence of ours."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(record.getMessage())


def build(course: Course, lesson: str) -> list[Path]:
    """Generate the release and the executed solutions of a lesson, and update the gradebook.

    All is made beside what is there, and takes its place when it is complete.

    Returns:
        The two folders.

    Raises:
        CourseError: nothing was changed; the message says why.
    """
    return _build(course, lesson, solutions=True)


def release(course: Course, lesson: str) -> None:
    """Generate the release alone and enter the lesson in the gradebook.

    Raises:
        CourseError: nothing was changed; the message says why.
    """
    _build(course, lesson, solutions=False)


def require_compatible(course: Course, lesson: Lesson) -> None:
    """Make sure that a lesson can be built without losing anybody's points.

    Raises:
        CourseError: a question is gone that students have points for.
    """
    url = course.coursedir.db_url
    with database.explained(url):
        if database.exists(url):
            with course.gradebook() as gradebook:
                structure.require_compatible(gradebook, lesson)


def leaking(course: Course, lesson: str) -> list[str]:
    """Return a sentence for each thing of a solution that the release of a lesson would hold."""
    with tempfile.TemporaryDirectory(prefix="ag-") as folder:
        [(made, _)] = _make(course, lesson, Path(folder), solutions=False)[0]
        return leaks.find(course.lesson(lesson), made)


def _build(course: Course, lesson: str, solutions: bool) -> list[Path]:
    found = course.lesson(lesson)
    require_compatible(course, found)
    url = course.coursedir.db_url
    if database.exists(url):
        database.require_writable(url)
    for _, target in _targets(course, lesson, solutions):
        require_writable(target.parent, target.parent.name)
    with tempfile.TemporaryDirectory(prefix="ag-") as folder:
        made, rows = _make(course, lesson, Path(folder), solutions)
        for problem in leaks.find(found, made[0][0]):
            raise CourseError(f"{problem}. Nothing was changed.")
        try:
            with database.explained(url), contextlib.ExitStack() as stack:
                gradebook = stack.enter_context(course.gradebook())
                structure.update(gradebook, lesson, rows)
                stack.enter_context(_in_place(made))
                gradebook.db.commit()
        except (OSError, shutil.Error) as error:
            reason = getattr(error, "strerror", None) or error
            raise CourseError(
                f"{lesson} cannot be built: {reason}. Nothing was changed."
            ) from error
        except SQLAlchemyError as error:
            reason = str(error).split("\n")[0]
            raise CourseError(
                f"The gradebook cannot follow {lesson}: {reason}. Nothing was changed."
            ) from error
    return [target for _, target in made]


def _targets(course: Course, lesson: str, solutions: bool) -> list[tuple[str, Path]]:
    coursedir = course.coursedir
    steps = [coursedir.release_directory, coursedir.solution_directory][: 1 + solutions]
    return [(step, Path(coursedir.format_path(step, ".", lesson))) for step in steps]


def _make(
    course: Course, lesson: str, folder: Path, solutions: bool
) -> tuple[list[tuple[Path, Path]], dict[str, structure.Held]]:
    """Run nbgrader's converters with ``folder`` in the place of the course's own folders.

    Returns:
        The folders that were made, each with the one whose place it is to take, and what the
        gradebook is to hold.
    """
    coursedir = CourseDirectory(config=course.config)
    coursedir.assignment_id = lesson
    coursedir.db_url = f"sqlite:///{folder / 'gradebook.db'}"
    coursedir.release_directory = str(folder / "release")
    coursedir.solution_directory = str(folder / "solutions")
    try:
        for converter in (GenerateAssignment, GenerateSolution)[: 1 + solutions]:
            _run(converter(coursedir=coursedir, config=course.config), lesson)
        with Gradebook(coursedir.db_url, coursedir.course_id) as gradebook:
            rows = structure.held(gradebook, lesson)
    finally:
        database.forget(coursedir.db_url)
    here = [coursedir.release_directory, coursedir.solution_directory]
    made = [Path(coursedir.format_path(step, ".", lesson)) for step in here]
    targets = [target for _, target in _targets(course, lesson, solutions)]
    return list(zip(made[: len(targets)], targets, strict=True)), rows


@contextlib.contextmanager
def _in_place(made: Sequence[tuple[Path, Path]]) -> Iterator[None]:
    """Put folders in the place of others while the block runs; back again if it fails.

    What takes time and may fail is done before anything is moved: copying to the same disk.
    """
    moves = [(new, target, _beside(target, "new"), _beside(target, "old")) for new, target in made]
    undo = contextlib.ExitStack()
    with contextlib.ExitStack() as always, undo:
        for new, target, fresh, old in moves:
            for rest in (fresh, old):
                shutil.rmtree(rest, ignore_errors=True)
            target.parent.mkdir(parents=True, exist_ok=True)
            always.callback(shutil.rmtree, fresh, ignore_errors=True)
            shutil.copytree(new, fresh)
        for _, target, fresh, old in moves:
            if target.exists():
                os.rename(target, old)
                undo.callback(os.rename, old, target)
            os.rename(fresh, target)
            undo.callback(shutil.rmtree, target, ignore_errors=True)
        yield
        undo.pop_all()  # it has gone well, and nothing is to be undone
        for _, _, _, old in moves:
            shutil.rmtree(old, ignore_errors=True)


def _beside(target: Path, what: str) -> Path:
    return target.with_name(f".{target.name}.{what}")


def _run(converter: BaseConverter, lesson: str) -> None:
    log = _Log()
    converter.force = True
    converter.log.addHandler(log)
    level, propagate = converter.log.level, converter.log.propagate
    converter.log.setLevel(logging.ERROR)
    converter.log.propagate = False
    try:
        converter.start()
    except (NbGraderException, OSError, SQLAlchemyError) as error:
        raise CourseError(
            f"{type(converter).__name__} fails for {lesson}: {_reason(log.lines, error)}"
        ) from error
    finally:
        converter.log.removeHandler(log)
        converter.log.setLevel(level)
        converter.log.propagate = propagate


def _reason(lines: Sequence[str], error: Exception) -> str:
    """Return in one line what a converter has logged: the end of a traceback, or its one line."""
    for line in lines:
        if "Traceback (most recent call last)" in line:
            return line.strip().split("\n")[-1]
    return " ".join((lines[0] if lines else str(error)).split())


def stale(course: Course, lesson: str) -> list[str]:
    """Return the generated files of a lesson that its source would build otherwise."""
    found: list[str] = []
    with tempfile.TemporaryDirectory(prefix="ag-") as name:
        for fresh, committed in _make(course, lesson, Path(name), solutions=True)[0]:
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
                    found.append(os.path.relpath(committed / file, course.root))
    return found


def copy_course(course: Course, lesson: str, folder: Path) -> Course:
    """Make a course in ``folder`` with the same options and one lesson, and return it."""
    source = folder / course.coursedir.source_directory / lesson
    shutil.copytree(
        course.source / lesson, source, ignore=shutil.ignore_patterns(".ipynb_checkpoints")
    )
    shutil.copy(course.root / CONFIG_FILE, folder / CONFIG_FILE)
    _move_home(folder)
    if (course.root / CACHE).is_dir():
        shutil.copytree(course.root / CACHE, folder / CACHE, dirs_exist_ok=True)
    return load_course(folder)


def _move_home(folder: Path) -> None:
    """Let the options of a copied course name no place of the course that it was copied from."""
    made = load_course(folder)
    file = made.coursedir.db_url.removeprefix("sqlite:///").split("?")[0]
    if made.root.resolve() == folder.resolve() and folder.resolve() in Path(file).resolve().parents:
        return
    with (folder / CONFIG_FILE).open("a", encoding="utf-8") as config:
        config.write(f"\nc.CourseDirectory.root = {str(folder.resolve())!r}\n")
        config.write(
            f"c.CourseDirectory.db_url = {f'sqlite:///{folder.resolve()}/gradebook.db'!r}\n"
        )
