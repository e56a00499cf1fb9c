"""Start a notebook of a lesson from a template that passes the checks (for authors).

The template, ``templates/notebook.ipynb``, has one question called ``QUESTION``.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path

import nbformat
from nbformat.notebooknode import NotebookNode

from autograder.course import Course
from autograder.errors import CourseError
from autograder.lesson import model

TEMPLATE = Path(__file__).with_name("templates") / "notebook.ipynb"


@dataclass(frozen=True)
class NewQuestion:
    """A question to start with."""

    name: str
    points: float = 1


def parse_question(text: str) -> NewQuestion:
    """Return the question in ``NAME`` or ``NAME:POINTS``.

    Raises:
        ValueError: it is neither; the message says what is wrong.
    """
    name, _, points = text.partition(":")
    if not name.isidentifier():
        raise ValueError(f"{name!r} is no Python name; write NAME or NAME:POINTS")
    try:
        number = float(points or 1)
    except ValueError:
        number = 0.0
    if not 0 < number < 1000:
        raise ValueError(f"{points!r} is no number of points, 1 or 2.5 for example")
    return NewQuestion(name, number)


def write(course: Course, lesson: str, notebook: str, questions: list[NewQuestion]) -> Path:
    """Write the notebook into the course's lessons and return its path.

    Raises:
        CourseError: there is such a notebook, or a name cannot be used.
    """
    if not lesson.isidentifier():
        raise CourseError(
            f"A lesson's name is a Python name, such as lesson5_embedding_layer: {lesson!r} is not."
        )
    if not re.fullmatch(r"\w+", notebook):
        raise CourseError(
            f"A notebook's name has letters, digits and underscores only: {notebook!r} has others."
        )
    folder = course.source / lesson
    path = folder / f"{notebook}.ipynb"
    if path.exists():
        raise CourseError(f"There is a notebook {path}. Choose another name, or edit that one.")
    taken = _questions_of(course, lesson)
    for question in questions:
        if question.name in taken:
            raise CourseError(f"{lesson} has a question {question.name!r} already.")
        taken.add(question.name)
    folder.mkdir(parents=True, exist_ok=True)
    nbformat.write(_notebook(notebook, questions), path)
    return path


def _questions_of(course: Course, lesson: str) -> set[str]:
    if lesson not in course.lesson_names():
        return set()
    found = model.load((course.source / lesson).resolve(), course.config)
    return {question.name for question in found.questions}


def _notebook(name: str, questions: list[NewQuestion]) -> NotebookNode:
    node = nbformat.read(TEMPLATE, as_version=4)
    title = name.lstrip("0123456789_").replace("_", " ").capitalize() or name
    node.cells[0].source = node.cells[0].source.replace("TITLE", title)
    first, last = (
        [i for i, cell in enumerate(node.cells) if "QUESTION" in cell.id][end] for end in (0, -1)
    )
    one = node.cells[first : last + 1]
    node.cells[first : last + 1] = [cell for each in questions for cell in _question(one, each)]
    return node


def _question(cells: list[NotebookNode], question: NewQuestion) -> list[NotebookNode]:
    """Return the template's cells for one question."""
    text = json.dumps(cells).replace("QUESTION", question.name)
    made: list[NotebookNode] = [nbformat.from_dict(cell) for cell in json.loads(text)]
    points = int(question.points) if question.points.is_integer() else question.points
    made[-1].metadata.nbgrader["points"] = points
    return made
