"""A tiny lesson for the tests: two short notebooks, and helpers to solve, damage and judge them."""

from __future__ import annotations

import copy
import shutil
from collections.abc import Generator, Mapping
from pathlib import Path
from typing import Any

import nbformat
import parts
import pytest
from hypothesis import HealthCheck, settings
from nbformat.notebooknode import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from autograder.course import Course, load_course
from autograder.evidence import VERSION
from autograder.kernel.probe import Probe, capture, known_answers, probe
from autograder.lesson.model import Lesson, Notebook, grade_id_of
from autograder.verdict.outcome import Reference, read_reference

# The same examples at every run, and no stopwatch: the tests also run on busy machines.
settings.register_profile(
    "course",
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("course")

ROOT = Path(__file__).resolve().parents[1]

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


# Options, and what is left out where a program is missing (see parts.py) ------------------------


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--pictures", action="store_true", help="make the README's pictures in docs/images/ anew"
    )
    parser.addoption(
        parts.REQUIRE_ALL,
        action="store_true",
        help="fail where a test would be skipped, as with CI=true in the environment",
    )


@pytest.hookimpl(tryfirst=True)  # before any fixture that needs the program
def pytest_runtest_setup(item: pytest.Item) -> None:
    parts.check(item)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, Any, Any]:
    report = yield
    if parts.all_required(item.config):
        parts.refuse_skip(report)
    return report


@pytest.hookimpl(wrapper=True, tryfirst=True)  # below all other summaries
def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> Generator[None]:
    yield
    ended = ("passed", "skipped", "failed", "error")
    line = parts.summary(r for kind in ended for r in terminalreporter.stats.get(kind, ()))
    if line:
        terminalreporter.write_line(line, red=True, bold=True)


@pytest.fixture
def pictures(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """The folder for pictures of what a test sees."""
    return ROOT / "docs" / "images" if request.config.getoption("--pictures") else tmp_path


# The tiny lesson --------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def course(tmp_path_factory: pytest.TempPathFactory) -> Course:
    """A course with the tiny lesson, for all tests that only read it."""
    return load_course(write_tiny_course(tmp_path_factory.mktemp("course")))


@pytest.fixture(scope="session")
def lesson(course: Course) -> Lesson:
    return course.lesson("tiny")


@pytest.fixture
def first(lesson: Lesson) -> Notebook:
    """The notebook with the question ``double`` (3 points, one of them for an edge case)."""
    return lesson.notebook("1_double")


@pytest.fixture
def second(lesson: Lesson) -> Notebook:
    """The notebook with the questions ``size`` (1 point) and ``reason`` (2 points, by hand)."""
    return lesson.notebook("2_count")


# Working with submitted notebooks ---------------------------------------------------------------


def index_of(node: NotebookNode, identifier: str) -> int:
    """Return where the cell with this nbgrader or cell identifier stands."""
    return next(
        i for i, cell in enumerate(node.cells) if identifier in (grade_id_of(cell), cell.get("id"))
    )


def cell_of(node: NotebookNode, identifier: str) -> NotebookNode:
    return node.cells[index_of(node, identifier)]


def solved(notebook: Notebook) -> NotebookNode:
    """Return what a perfect student hands in."""
    return notebook.solved()


def answered(notebook: Notebook, **sources: str) -> NotebookNode:
    """Return a perfect submission but for the cells whose sources are given."""
    node = solved(notebook)
    for identifier, source in sources.items():
        cell_of(node, identifier).source = source
    return node


def strip_all(node: NotebookNode) -> NotebookNode:
    """Take metadata and identifiers from all cells, as some editors do."""
    for cell in node.cells:
        cell.metadata = NotebookNode()
        cell.pop("id", None)
    node.nbformat_minor = 4
    return node


# Probes without a kernel ------------------------------------------------------------------------


KNOWN = ("mistakes", "edge_mistakes", "alternatives", "summary")


def made(*args: Any, **kwargs: Any) -> Probe:
    """Return the probe that ``probe`` and ``known_answers`` make, without running it."""
    with capture() as probes:
        known_answers(**{name: kwargs.pop(name) for name in KNOWN if name in kwargs})
        probe(*args, **kwargs)
    return probes[0]


def reference_of(one: Probe) -> Reference:
    """Return the reference of a probe whose probed answer is the right one."""
    evidence: dict[str, Any] = {"version": VERSION}
    evidence["cases"] = one.record(one.value if one.asks_value else one.function)
    for group in ("mistakes", "edge_mistakes", "alternatives"):
        evidence[group] = {
            name: one.record(answer) for name, answer in getattr(one.known, group).items()
        }
    return read_reference(one, evidence)
