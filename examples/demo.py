"""A class of submissions to look at: made, graded and shown by nbgrader's own commands."""

from __future__ import annotations

import copy
import csv
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from autograder.authoring.build import copy_course, release
from autograder.course import Course
from autograder.errors import CourseError
from autograder.lesson.model import Lesson, grade_id_of
from autograder.report import figures as report
from autograder.report import page as report_page
from autograder.results import REPORTS, Status, read_result
from examples import answers
from examples.answers import Submission

FOLDER = "demo"
CORPUS = Path("tests") / "submissions"
CLASS_FILE = CORPUS / "demo_class.toml"
EXPORT = "grades.csv"


@dataclass(frozen=True)
class Student:
    """One student of the demo class and how the submission is made."""

    id: str
    what: str
    """What is special about the submission, for the class table."""
    answers: tuple[str, ...] = ()
    """Corpus files whose answers replace the solutions, as ``chaffs/NAME``."""
    unanswered: str = ""
    """Question from which on all is left blank; ``*`` for all."""
    damage: str = ""
    """Name of what happened to the files, see `DAMAGE`."""


def read_class(course: Course) -> tuple[str, list[Student]]:
    """Return the lesson of the demo class and its students.

    Raises:
        CourseError: there is no class file.
    """
    file = course.root / CLASS_FILE
    if not file.is_file():
        raise CourseError(f"There is no demo class: the file {CLASS_FILE} is missing.")
    data = tomllib.loads(file.read_text(encoding="utf-8"))
    students = [
        Student(**{**entry, "answers": tuple(entry.get("answers", ()))})
        for entry in data["student"]
    ]
    return str(data["lesson"]), students


def _delete_check(made: Submission) -> None:
    """Delete the last check cell of the second notebook."""
    node = list(made.notebooks.values())[1]
    checks = [cell for cell in node.cells if cell.metadata.get("nbgrader", {}).get("grade")]
    node.cells.remove(checks[-1])


def _copy_answer(made: Submission) -> None:
    """Put a copy of an answer cell, metadata and all, right below it."""
    node = list(made.notebooks.values())[1]
    index = max(
        i for i, c in enumerate(node.cells) if c.metadata.get("nbgrader", {}).get("solution")
    )
    duplicate = copy.deepcopy(node.cells[index])
    duplicate.id = "pasted"  # as editors do: a new identifier, the same metadata
    node.cells.insert(index + 1, duplicate)


def _rename(made: Submission) -> None:
    name = list(made.notebooks)[2]
    made.notebooks[f"Copy of {name} (1)"] = made.notebooks.pop(name)


DAMAGE: dict[str, Callable[[Submission], None]] = {
    "deleted check cell": _delete_check,
    "copied cell": _copy_answer,
    "renamed notebook": _rename,
}
"""What editors and people do to the notebooks of a submission."""

NOT_A_NOTEBOOK = "not a notebook"
"""The damage that replaces the third notebook by a web page."""


def make_submission(course: Course, lesson: Lesson, student: Student, folder: Path) -> None:
    """Write what one student hands in."""
    files = [course.root / CORPUS / lesson.name / f"{name}.py" for name in student.answers]
    for file in files:
        if not file.is_file():
            raise CourseError(f"{CLASS_FILE}: {student.id} names {file.name}, which is missing.")
    entries = [answers.read(file) for file in files]
    made = answers.submission(lesson, entries)
    if student.unanswered:
        _leave_blank(lesson, made, student.unanswered)
    if student.damage in DAMAGE:
        DAMAGE[student.damage](made)
    made.write(folder)
    if student.damage == NOT_A_NOTEBOOK:
        name = lesson.notebooks[2].name
        page = "<!DOCTYPE html>\n<html><body><h1>Please sign in</h1></body></html>\n"
        (folder / f"{name}.ipynb").write_text(page, encoding="utf-8")
    (folder / "timestamp.txt").write_text("2026-01-15 12:00:00 UTC\n", encoding="utf-8")


def _leave_blank(lesson: Lesson, made: Submission, first: str) -> None:
    names = [question.name for question in lesson.questions]
    start = 0 if first == "*" else names.index(first)
    for notebook in lesson.notebooks:
        for cell, blank in zip(
            made.notebooks[notebook.name].cells, notebook.blank.cells, strict=True
        ):
            if grade_id_of(cell) in names[start:]:
                cell.source = blank.source


@dataclass
class Line:
    """One student's line of the class table."""

    student: Student
    score: float = 0
    possible: float = 0
    """Points of the questions that have a score."""
    waiting: float = 0
    """Points of the answers that a person has still to grade."""
    lost: dict[str, list[tuple[str, float]]] = field(default_factory=dict)
    """The questions that lost points and how many, by the reason."""
    notes: list[str] = field(default_factory=list)
    """What was repaired, or could not be graded."""

    def reasons(self) -> list[str]:
        """Return one line per reason, for the class table."""
        lines = []
        for why, questions in self.lost.items():
            points = sum(lost for _, lost in questions)
            names = questions[0][0] if len(questions) == 1 else f"{len(questions)} questions"
            lines.append(f"{names} −{points:g}: {why}")
        return lines + self.notes


@dataclass(frozen=True)
class Outcome:
    """What the demo made."""

    lesson: str
    lines: list[Line]
    export: Path
    feedback: Path
    report: Path


def run(course: Course, say: Callable[[str], None]) -> Outcome:
    """Make, grade and report the demo class in the course's ``demo`` folder.

    Args:
        course: the course; nothing of it is changed outside that folder.
        say: called with one line before each step.

    Raises:
        CourseError: the class file is missing, the folder is not the demo's, or a command fails.
    """
    name, students = read_class(course)
    folder = course.root / FOLDER
    _clear(folder)
    say(f"Making a class of {len(students)} in {FOLDER}/")
    made = copy_course(course, name, folder)
    release(made, name)
    lesson = made.lesson(name)
    for student in students:
        make_submission(course, lesson, student, folder / "submitted" / student.id / name)
    for command, allowed in (
        (["autograde", name], (0, 1)),  # 1: some submissions are not gradable
        (["generate_feedback", name], (0,)),
        (["export", "--to", EXPORT], (0,)),
    ):
        say(f"nbgrader {' '.join(command)}")
        _nbgrader(command, folder, allowed)
    say(f"autograder report {name}")
    page = report.default_file(made, name)
    report_page.write(report.read(made, name), page)
    lines = list(_lines(students, folder, name))
    return Outcome(name, lines, folder / EXPORT, folder / "feedback", page)


MARKER = ".demo"
"""File that marks a folder as the demo's own, to be replaced at the next run."""


def _clear(folder: Path) -> None:
    if folder.exists():
        if not (folder / MARKER).is_file():
            raise CourseError(f"{folder} was not made by the demo; move it out of the way.")
        shutil.rmtree(folder)
    folder.mkdir()
    (folder / MARKER).touch()


def _nbgrader(command: list[str], folder: Path, allowed: tuple[int, ...]) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "nbgrader", *command],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    (folder / f"{command[0]}.log").write_text(done.stdout, encoding="utf-8")
    if done.returncode not in allowed:
        last = done.stdout.strip().split("\n")[-1]
        raise CourseError(f"nbgrader {command[0]} failed: {last} (see {folder / command[0]}.log)")


def _lines(students: list[Student], folder: Path, lesson: str) -> Iterator[Line]:
    with (folder / EXPORT).open(newline="", encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    for student in students:
        line = Line(student)
        for row in rows:
            if row["student_id"] == student.id:
                _add(line, row)
        record = read_result(folder / REPORTS / student.id / lesson)
        for name, notebook in record.notebooks.items() if record else ():
            if notebook.status == Status.NOT_GRADABLE:
                line.notes.append(f"{name}: not gradable, {notebook.reason}")
            line.notes += [f"{name}: {repair}" for repair in notebook.repairs]
        yield line


def _add(line: Line, row: dict[str, Any]) -> None:
    possible = float(row["max_score"])
    if row["status"] == Status.BY_HAND:
        line.waiting += possible
        return
    if row["status"] == Status.NOT_GRADABLE:
        return
    score = float(row["score"])
    line.score += score
    line.possible += possible
    lost = possible - score
    if lost:
        why = row["mistake"] or row["reason"] or row["status"]
        line.lost.setdefault(why, []).append((row["question"], lost))
