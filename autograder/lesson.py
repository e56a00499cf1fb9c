"""A lesson as its author wrote it: notebooks, questions, and what students get of them."""

from __future__ import annotations

import ast
import copy
import functools
import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat
from nbformat.notebooknode import NotebookNode
from nbgrader import utils
from nbgrader.nbgraderformat import (
    MetadataValidator,
    SchemaTooNewError,
    SchemaTooOldError,
    ValidationError,
)
from nbgrader.preprocessors import ClearSolutions
from traitlets.config import Config

from autograder import hidden
from autograder.hidden import LessonError

FIGURE_TAG = "figure"
"""Tag of cells that only draw; they are skipped while grading."""


@dataclass(frozen=True)
class Question:
    """One graded cell and the answer cell that it grades."""

    grade_id: str
    """Identifier of the graded cell; for a written answer, of the answer itself."""
    name: str
    """Identifier of the answer cell: the question's name for people."""
    notebook: str
    points: float
    by_hand: bool
    """Whether a person grades it."""


@dataclass(frozen=True)
class Notebook:
    """One notebook of a lesson."""

    name: str
    """File name without ``.ipynb``."""
    path: Path
    node: NotebookNode
    """The author's notebook: solutions, hidden blocks, no outputs."""
    blank: NotebookNode
    """The same as students get it: solutions replaced by stubs, nothing hidden."""
    questions: tuple[Question, ...]

    def cell(self, grade_id: str) -> NotebookNode:
        """Return the author's cell with this nbgrader identifier."""
        for cell in self.node.cells:
            if grade_id_of(cell) == grade_id:
                return cell
        raise KeyError(grade_id)

    def asked_names(self, answer: str) -> set[str]:
        """Return the names that an answer cell must define: those that its check probes."""
        defined = defined_names(self.cell(answer).source)
        for question in self.questions:
            if question.name == answer and not question.by_hand:
                block = hidden.split(self.cell(question.grade_id).source)[0]
                return set(hidden.probed_names(block) & defined) or defined
        return defined

    @functools.cached_property
    def fingerprint(self) -> str:
        """Hash of all that decides what the notebook's reference evidence is."""
        sources = [[cell.cell_type, cell.source, cell.metadata] for cell in self.node.cells]
        return hashlib.sha256(repr(sources).encode()).hexdigest()

    @functools.cached_property
    def secret_lines(self) -> frozenset[str]:
        """The stripped lines of hidden blocks and marking schemes."""
        return frozenset(
            line for cell in self.node.cells for line in hidden.secret_lines(cell.source)
        )


@dataclass(frozen=True)
class Lesson:
    """A folder of notebooks under the course's source directory."""

    name: str
    path: Path
    notebooks: tuple[Notebook, ...]

    def __deepcopy__(self, _: object) -> Lesson:
        """Return this very lesson: nbconvert copies the resources for every notebook."""
        return self

    @property
    def questions(self) -> tuple[Question, ...]:
        """All questions in teaching order."""
        return tuple(question for notebook in self.notebooks for question in notebook.questions)

    @property
    def max_score(self) -> float:
        """Points of all questions together."""
        return sum(question.points for question in self.questions)

    def notebook(self, name: str) -> Notebook:
        """Return the notebook of that name (without ``.ipynb``)."""
        for notebook in self.notebooks:
            if notebook.name == name:
                return notebook
        raise KeyError(name)


def grade_id_of(cell: NotebookNode) -> str | None:
    """Return a cell's nbgrader identifier, or None for a cell that nbgrader does not manage."""
    meta = cell.metadata.get("nbgrader")
    if not isinstance(meta, dict):
        return None
    managed = meta.get("grade") or meta.get("solution") or meta.get("locked") or meta.get("task")
    identifier = meta.get("grade_id")
    return identifier if managed and isinstance(identifier, str) and identifier else None


def load(path: Path, config: Config | None = None) -> Lesson:
    """Read the lesson in the folder ``path``.

    Args:
        path: a folder with source notebooks.
        config: the course's options; those of nbgrader's ``ClearSolutions`` decide the stubs.

    Raises:
        LessonError: the folder is missing or empty, or a notebook breaks a rule of the format.
    """
    if not path.is_dir():
        raise LessonError(f"There is no lesson folder {path.name!r} in {path.parent}.")
    files = sorted(path.glob("*.ipynb"))
    if not files:
        raise LessonError(f"The lesson folder {path} holds no notebook.")
    stamps = tuple((file.name, file.stat().st_mtime_ns, file.stat().st_size) for file in files)
    return _load(path, stamps, repr(config.get("ClearSolutions")) if config else "", _Box(config))


class _Box:
    """Carries the configuration past the cache, whose key is its text."""

    def __init__(self, config: Config | None) -> None:
        self.config = config

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Box)

    def __hash__(self) -> int:
        return 0


@functools.lru_cache(maxsize=8)
def _load(path: Path, stamps: tuple[Any, ...], _options: str, box: _Box) -> Lesson:
    notebooks = tuple(_load_notebook(path / name, box.config) for name, *_ in stamps)
    seen: dict[str, str] = {}
    for notebook in notebooks:
        for question in notebook.questions:
            if question.name in seen:
                raise LessonError(
                    f"Two questions of {path.name} are called {question.name!r}, in "
                    f"{seen[question.name]} and {notebook.name}; give each a name of its own."
                )
            seen[question.name] = notebook.name
    return Lesson(path.name, path, notebooks)


def _load_notebook(path: Path, config: Config | None) -> Notebook:
    try:
        node = nbformat.read(path, as_version=4)
    except Exception as error:
        raise LessonError(f"The lesson notebook {path} cannot be read: {error}") from error
    _check_format(path, node)
    _check_metadata(path, node)
    return Notebook(path.stem, path, node, _blank(path, node, config), _questions(path, node))


def _check_format(path: Path, node: NotebookNode) -> None:
    ids: set[str] = set()
    for number, cell in enumerate(node.cells, 1):
        if not cell.get("id"):
            raise LessonError(
                f"{path.name}, cell {number} has no identifier; save the notebook in format 4.5."
            )
        grade_id = grade_id_of(cell)
        begins, ends = (cell.source.count(f"{word} SOLUTION") for word in ("BEGIN", "END"))
        if begins != ends:
            raise LessonError(f"{path.name}: {cell.id} has BEGIN SOLUTION without END SOLUTION.")
        if begins and not utils.is_solution(cell):
            raise LessonError(f"{path.name}: {cell.id} has BEGIN SOLUTION and is no answer cell.")
        if grade_id is None:
            if hidden.BEGIN in cell.source:
                raise LessonError(
                    f"{path.name}, cell {number}: only graded cells hold hidden tests."
                )
            continue
        if grade_id in ids:
            raise LessonError(f"{path.name}: two cells have the grade_id {grade_id!r}.")
        ids.add(grade_id)
        if utils.is_solution(cell) and "BEGIN SOLUTION" not in cell.source:
            raise LessonError(f"{path.name}: the answer {grade_id} has no ### BEGIN SOLUTION.")
        if utils.is_grade(cell) and not utils.is_solution(cell):
            _check_graded_cell(path, grade_id, cell)


def _check_metadata(path: Path, node: NotebookNode) -> None:
    """Check what nbgrader wants of its metadata: here once, and not in every submission."""
    try:
        MetadataValidator().validate_nb(node)
    except (ValidationError, SchemaTooOldError, SchemaTooNewError) as error:
        reason = str(error).split("\n")[0]
        raise LessonError(f"{path.name}: nbgrader cannot use its metadata: {reason}.") from error


def _check_graded_cell(path: Path, grade_id: str, cell: NotebookNode) -> None:
    block = hidden.split(cell.source)[0]
    try:
        probes = hidden.count_probes(block)
    except SyntaxError as error:
        raise LessonError(
            f"{path.name}: the hidden block of {grade_id} is not Python: {error}"
        ) from error
    if not probes:
        raise LessonError(
            f"{path.name}: the graded cell {grade_id} must call probe(...) between "
            f"### {hidden.BEGIN} and ### {hidden.END}."
        )
    unclear = hidden.unclear_use(block)
    if unclear:
        raise LessonError(f"{path.name}: the hidden block of {grade_id} {unclear}.")
    borrowed = hidden.borrowed_names(block)
    if borrowed:
        raise LessonError(
            f"{path.name}: the hidden block of {grade_id} uses {', '.join(sorted(borrowed))}, "
            "which a student may have rebound; import or define it in the block."
        )


def _questions(path: Path, node: NotebookNode) -> tuple[Question, ...]:
    questions = []
    answer: str | None = None
    for cell in node.cells:
        grade_id = grade_id_of(cell)
        if grade_id is None:
            continue
        if utils.is_solution(cell):
            answer = grade_id
        if utils.is_grade(cell) or utils.is_task(cell):
            by_hand = utils.is_solution(cell) or utils.is_task(cell)
            name = grade_id if by_hand else answer
            if name is None:
                raise LessonError(f"{path.name}: no answer cell stands before {grade_id}.")
            points = float(cell.metadata.nbgrader.get("points", 0))
            questions.append(Question(grade_id, name, path.stem, points, by_hand))
    return tuple(questions)


def _blank(path: Path, node: NotebookNode, config: Config | None) -> NotebookNode:
    blank = copy.deepcopy(node)
    clear = ClearSolutions(config=config)
    try:
        blank, _ = clear.preprocess(blank, {})
    except RuntimeError as error:
        raise LessonError(f"{path.name}: {error}.") from error
    for cell in blank.cells:
        cell.source = hidden.visible(cell.source)
    return blank


def defined_names(source: str) -> set[str]:
    """Return the names that a cell binds at its top level; empty if it is not Python."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return set()
    found: set[str] = set()
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(
            node, ast.Assign | ast.AnnAssign | ast.AugAssign | ast.For | ast.With | ast.If
        ):
            found |= {
                name.id
                for name in ast.walk(node)
                if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store)
            }
    return found
