"""A small class for the tests of grading: made, graded in another process, and compared."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import psutil
import sqlalchemy

from autograder.authoring.build import copy_course, release
from autograder.course import load_course
from autograder.pipeline import prepare
from examples import answers
from support import warm
from support.lessons import ROOT, write_tiny_course

PATIENCE = 180.0
"""Seconds after which something that has not happened will not happen, on a busy machine too."""

WRONG = "def double(numbers):\n    return numbers**2"

GOOD = ("b[1] é", "s01", "s02")
BAD = "a00"

STATE = """
    SELECT student.id, notebook.name, base_cell.name, grade.auto_score, grade.manual_score,
        grade.needs_manual_grade, submitted_notebook.late_submission_penalty
    FROM grade
    JOIN base_cell ON base_cell.id = grade.cell_id
    JOIN submitted_notebook ON submitted_notebook.id = grade.notebook_id
    JOIN notebook ON notebook.id = submitted_notebook.notebook_id
    JOIN submitted_assignment ON submitted_assignment.id = submitted_notebook.assignment_id
    JOIN student ON student.id = submitted_assignment.student_id
"""

COMMENTS = """
    SELECT student.id, notebook.name, base_cell.name, comment.auto_comment, comment.manual_comment
    FROM comment
    JOIN base_cell ON base_cell.id = comment.cell_id
    JOIN submitted_notebook ON submitted_notebook.id = comment.notebook_id
    JOIN notebook ON notebook.id = submitted_notebook.notebook_id
    JOIN submitted_assignment ON submitted_assignment.id = submitted_notebook.assignment_id
    JOIN student ON student.id = submitted_assignment.student_id
"""

SUBMISSIONS = "SELECT student_id, timestamp FROM submitted_assignment"

STEP = """

from pathlib import Path

from nbgrader.preprocessors import NbGraderPreprocessor


class Step(NbGraderPreprocessor):
    def preprocess(self, nb, resources):
        names = resources["nbgrader"]
        if (names["student"], names["notebook"]) == ("s01", "2_count"):
            flag = Path({flag!r})
            first = not flag.exists()
            flag.touch()
            {action}
        return nb, resources


c.Autograde.autograde_preprocessors.append(Step)
"""
"""Configuration that does something when the first of two notebooks of s01 has been graded."""

KILL = "import os, signal\n            os.kill(os.getpid(), signal.SIGKILL)"
KILL_ONCE = f"if first:\n                {KILL.replace(chr(10), chr(10) + '    ')}"
WAIT = f"import time\n            time.sleep({PATIENCE})"


def make_class(root: Path) -> Path:
    """Make a class with three good submissions and, first in line, one that is not gradable."""
    course = load_course(write_tiny_course(root))
    release(course, "tiny")
    for notebook in course.lesson("tiny").notebooks:
        prepare(notebook, course.root)
    for student in (BAD, *GOOD):
        submit(root, student)
    submit(root, "s02", "2026-01-15 12:00:00 UTC", double=WRONG)
    page = root / "submitted" / BAD / "tiny" / "1_double.ipynb"
    page.write_text("<!DOCTYPE html><p>Sign in", encoding="utf-8")
    return root


def submit(root: Path, student: str, timestamp: str = "", **sources: str) -> Path:
    """Hand in the solutions, but for the cells whose sources are given."""
    folder = root / "submitted" / student / "tiny"
    made = answers.submission(load_course(root).lesson("tiny"))
    for node in made.notebooks.values():
        for cell in node.cells:
            cell.source = sources.get(cell.id, cell.source)
    made.write(folder)
    if timestamp:
        (folder / "timestamp.txt").write_text(timestamp, encoding="utf-8")
    return folder


def one_student(root: Path, lesson: str, notebook: str, *files: str) -> Path:
    """Make a course with one notebook of a real lesson, handed in by s01.

    Args:
        root: the course's folder.
        lesson: the lesson.
        notebook: the notebook, without ``.ipynb``.
        files: the answers that are no solutions, as paths below ``tests/submissions/LESSON``.
    """
    course = copy_course(load_course(ROOT), lesson, root)
    for path in (course.source / lesson).glob("*.ipynb"):
        if path.stem != notebook:
            path.unlink()
    release(course, lesson)
    entries = [answers.read(ROOT / "tests" / "submissions" / lesson / file) for file in files]
    made = answers.submission(course.lesson(lesson), entries)
    made.write(root / "submitted" / "s01" / lesson)
    return root


def copy_class(made: Path, name: str, *, only_good: bool = False) -> Path:
    """Copy a class that has not been graded to a folder of its own, whoever else uses the name."""
    root = Path(tempfile.mkdtemp(prefix=f"{name}-", dir=made.parent))
    shutil.copytree(made, root, dirs_exist_ok=True)
    if only_good:
        shutil.rmtree(root / "submitted" / BAD)
    return root


def configure(root: Path, text: str) -> str:
    """Add to a course's configuration; return what it was."""
    file = root / "nbgrader_config.py"
    before = file.read_text(encoding="utf-8")
    file.write_text(before + text, encoding="utf-8")
    return before


def step(root: Path, action: str) -> tuple[Path, Callable[[], None]]:
    """Do something in the middle of the grading of s01.

    Returns:
        A file that is there from then on, and what takes the step out again.
    """
    flag = root / "flag"
    before = configure(root, STEP.format(flag=str(flag), action=action))
    return flag, lambda: (root / "nbgrader_config.py").write_text(before, encoding="utf-8") and None


def start(root: Path, *command: str, env: Mapping[str, str] | None = None) -> subprocess.Popen[str]:
    """Start ``python -m ...`` in a course's folder and a process group of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", *command],
        cwd=root,
        env={**os.environ, "COLUMNS": "140", **(env or {})},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def run(root: Path, *command: str, status: int | None = 0) -> tuple[int, str, str]:
    """Run ``python -m ...`` to its end; return its exit status and what it printed."""
    done = warm.run(root, *command, env={**os.environ, "COLUMNS": "140"}, timeout=PATIENCE)
    assert "Traceback" not in done.stderr, done.stderr
    assert status in (None, done.returncode), f"{done.stdout}\n{done.stderr}"
    return done.returncode, done.stdout, done.stderr


def grade(root: Path, *options: str, status: int | None = 0) -> tuple[int, str, str]:
    return run(root, "autograder.commands.cli", "grade", "tiny", *options, status=status)


def until(condition: Callable[[], object], what: str) -> None:
    """Wait until something holds."""
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, f"in {PATIENCE:g} s there was no {what}"
        time.sleep(0.05)


def offspring(process: subprocess.Popen[str]) -> list[psutil.Process]:
    """Return all processes that a process has started, directly or not."""
    return psutil.Process(process.pid).children(recursive=True)


def assert_gone(processes: list[psutil.Process]) -> None:
    """Check that all have ended; whether somebody has asked how is not theirs to decide."""
    until(lambda: not [one for one in processes if _runs(one)], "end of all processes")


def _runs(process: psutil.Process) -> bool:
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


# What grading left behind -----------------------------------------------------------------------


def rows(db_url: str) -> list[tuple[object, ...]]:
    """Return what the gradebook says of all submissions, without its random identifiers."""
    engine = sqlalchemy.create_engine(db_url)
    try:
        with engine.connect() as connection:
            found = [
                tuple(str(value)[:19] if hasattr(value, "year") else value for value in row)
                for query in (STATE, COMMENTS, SUBMISSIONS)
                for row in connection.execute(sqlalchemy.text(query))
            ]
    finally:
        sqlalchemy.Engine.dispose(engine)
    assert found
    return sorted(
        (tuple(v[:19] if _is_time(v) else v for v in row) for row in found),
        key=lambda row: (len(row), repr(row[:3])),
    )


def _is_time(value: object) -> bool:
    return isinstance(value, str) and value[:5] == "2026-"


def files(root: Path) -> dict[str, bytes]:
    """Return all graded notebooks, other files and reports."""
    found = {
        str(path.relative_to(root)): path.read_bytes()
        for step in ("autograded", "reports")
        for path in sorted((root / step).rglob("*"))
        if path.is_file()
    }
    assert found
    return found


def sqlite(root: Path) -> str:
    return f"sqlite:///{root / 'gradebook.db'}"


def assert_same(
    root: Path, expected: Path, db_url: str = "", without: tuple[str, ...] = ()
) -> None:
    """Check that two classes have the same gradebook rows, notebooks and reports, byte by byte."""

    def others(name: object) -> bool:
        return not any(f"/{student}/" in f"/{name}/" for student in without)

    left, right = files(root), files(expected)
    assert {n for n in left if others(n)} == {n for n in right if others(n)}
    for name in left:
        assert not others(name) or left[name] == right[name], name
    graded, wanted = rows(db_url or sqlite(root)), rows(sqlite(expected))
    assert [r for r in graded if r[0] not in without] == [r for r in wanted if r[0] not in without]
