"""Makes notebooks of any kind, and a course with a tiny lesson of two."""

from __future__ import annotations

import copy
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import nbformat
from nbformat.notebooknode import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

ROOT = Path(__file__).resolve().parents[2]

KERNELSPEC = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}

DOUBLE = '''\
def double(numbers):
    """Return a new array with every number doubled.

    numbers: float64 array of any shape; it stays as it is.
    """
    ### BEGIN SOLUTION
    return numbers * 2
    ### END SOLUTION
'''

DOUBLE_CHECK = """\
### BEGIN HIDDEN TESTS
import numpy as np

from autograder.probe import case, default_rng, known_answers, probe

_rng = default_rng(4)


### BEGIN KNOWN ANSWERS
def _in_place(numbers):
    numbers *= 2
    return numbers


known_answers(
    mistakes={
        "squares the numbers": lambda numbers: numbers**2,
        "changes its <input>": _in_place,
    },
    edge_mistakes={"gives nothing for nothing": lambda n: n * 2 if n.size else None},
    alternatives={"a sum": lambda numbers: numbers + numbers},
)
### END KNOWN ANSWERS

probe(
    double,
    case("a table of numbers", _rng.standard_normal((2, 3)), fresh=True),
    case("a row of numbers", _rng.standard_normal(5)),
    case("no numbers at all", np.zeros(0), penalty=1),
)
### END HIDDEN TESTS
# Visible checks
assert double(np.array([1.0, 2.0])).tolist() == [2.0, 4.0], "double([1, 2]) should be [2, 4]"
"""

SIZE = """\
size = None  # replace None by a number
### BEGIN SOLUTION
size = 12
### END SOLUTION"""

SIZE_CHECK = """\
### BEGIN HIDDEN TESTS
from autograder.probe import known_answers, probe

### BEGIN KNOWN ANSWERS
known_answers(mistakes={"adds the sides": 7}, alternatives={"as a float": 12.0})
### END KNOWN ANSWERS
probe(value=size)
### END HIDDEN TESTS
assert size is not None, "size: replace None by your number\""""

REASON = """\
### BEGIN SOLUTION
Because there are three rows of four numbers each.
### END SOLUTION"""


# Making notebooks -------------------------------------------------------------------------------


def managed(grade_id: str, **meta: Any) -> dict[str, Any]:
    """Return the metadata of a cell that nbgrader manages; by default of a locked one."""
    plain = {"grade": False, "locked": True, "solution": False, "task": False, "schema_version": 3}
    return {"nbgrader": {**plain, "grade_id": grade_id, **meta}}


def markdown(identifier: str, source: str, metadata: dict[str, Any] | None = None) -> NotebookNode:
    return new_markdown_cell(source, id=identifier, metadata=metadata or {})


def code(identifier: str, source: str, metadata: dict[str, Any] | None = None) -> NotebookNode:
    return new_code_cell(source, id=identifier, metadata=metadata or {})


def locked(identifier: str, source: str) -> NotebookNode:
    return code(identifier, source, managed(identifier))


def answer(identifier: str, source: str) -> NotebookNode:
    return code(identifier, source, managed(identifier, solution=True, locked=False))


def check(identifier: str, source: str, points: float = 1) -> NotebookNode:
    return code(identifier, source, managed(identifier, grade=True, points=points))


def written(identifier: str, source: str, points: float = 2) -> NotebookNode:
    meta = managed(identifier, grade=True, solution=True, locked=False, points=points)
    return markdown(identifier, source, meta)


def notebook_of(*cells: NotebookNode) -> NotebookNode:
    metadata = {"kernelspec": KERNELSPEC, "language_info": {"name": "python"}}
    return new_notebook(cells=copy.deepcopy(list(cells)), metadata=copy.deepcopy(metadata))


def first_notebook() -> NotebookNode:
    return notebook_of(
        markdown("title", "# Doubling\n\nEvery number of an array, twice as large."),
        locked("setup", "import numpy as np\n\nnumbers = np.arange(6.0).reshape(2, 3)"),
        code("demo", "print(numbers.sum())"),
        markdown("task", "**Your turn.** Write `double`."),
        answer("double", DOUBLE.rstrip("\n")),
        check("double_check", DOUBLE_CHECK.rstrip("\n"), points=3),
        code("figure", "figure_drawn = True", {"tags": ["figure"]}),
        markdown("recap", "## Recap\n\nDoubling makes a new array."),
    )


def second_notebook() -> NotebookNode:
    return notebook_of(
        markdown("title", "# Counting\n\nHow many numbers there are in a table."),
        locked("setup", "import numpy as np\n\ntable = np.zeros((3, 4))"),
        markdown("task", "**Your turn.** How many numbers does `table` hold?"),
        answer("size", SIZE),
        check("size_check", SIZE_CHECK),
        markdown("prompt", "Say why.", managed("prompt")),
        written("reason", REASON),
        markdown("recap", "## Recap\n\nSizes multiply."),
    )


def write_course(root: Path, notebooks: Mapping[str, NotebookNode], lesson: str = "tiny") -> Path:
    """Make a course with one lesson in the folder ``root`` and return that folder."""
    folder = root / "lessons" / lesson
    folder.mkdir(parents=True)
    for name, node in notebooks.items():
        nbformat.write(node, folder / f"{name}.ipynb")
    shutil.copy(ROOT / "nbgrader_config.py", root)
    return root


def write_tiny_course(root: Path) -> Path:
    return write_course(root, {"1_double": first_notebook(), "2_count": second_notebook()})
