"""Start a notebook of a lesson: cells of every kind, with a small example that passes the checks.

The author replaces what stands in the cells; what kind they are, their identifiers and their points
are right from the start.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat
from nbformat.notebooknode import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from autograder.course import Course
from autograder.errors import CourseError
from autograder.lesson import model as lessons

KERNEL = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}

PROMPT = """\
## {name}

**Your turn.** Say here what `{name}` is to do, and why it is worth knowing.

<details><summary>Hint</summary>

Something that helps without giving the answer.

</details>"""

ANSWER = '''\
def {name}(x):
    """Return x plus 1.

    x: float64 array of any shape; it stays as it is.
    """
    ### BEGIN SOLUTION
    return x + 1
    ### END SOLUTION'''

CHECK = """\
### BEGIN HIDDEN TESTS
from autograder.probe import case, default_rng, probe

_rng = default_rng(1)
probe(
    {name},
    case("a table of numbers", _rng.standard_normal((3, 5))),
    mistakes={{"subtracts 1": lambda x: x - 1}},
    alternatives={{"the other way round": lambda x: 1 + x}},
)
### END HIDDEN TESTS
# Visible checks
assert {name}(np.zeros(2)).tolist() == [1, 1], "{name}([0, 0]) should be [1, 1]"
print("{name}: visible checks passed")"""


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
    found = lessons.load((course.source / lesson).resolve(), course.config)
    return {question.name for question in found.questions}


def _notebook(name: str, questions: list[NewQuestion]) -> NotebookNode:
    title = name.lstrip("0123456789_").replace("_", " ").capitalize() or name
    cells = [
        new_markdown_cell(f"# {title}\n\nWhat this notebook is about, in two lines.", id="title"),
        _code("setup", "import numpy as np", locked=True),
    ]
    for question in questions:
        name = question.name
        cells += [
            new_markdown_cell(PROMPT.format(name=name), id=f"{name}_prompt"),
            _code(name, ANSWER.format(name=name), solution=True),
            _code(
                f"{name}_check",
                CHECK.format(name=name),
                grade=True,
                locked=True,
                points=int(question.points) if question.points.is_integer() else question.points,
            ),
        ]
    cells.append(new_markdown_cell("## Recap\n\nWhat is known now.", id="recap"))
    return new_notebook(
        cells=cells, metadata={"kernelspec": KERNEL, "language_info": {"name": "python"}}
    )


def _code(identifier: str, source: str, **kind: Any) -> NotebookNode:
    """Return a code cell that nbgrader manages."""
    plain = {"grade": False, "locked": False, "solution": False, "task": False}
    meta = {**plain, "schema_version": 3, "grade_id": identifier, **kind}
    return new_code_cell(source, id=identifier, metadata={"nbgrader": meta})
