"""A lesson as its author wrote it: notebooks, questions, and what students get of them."""

from __future__ import annotations

import copy
import fnmatch
import functools
import hashlib
import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat
from nbformat.notebooknode import NotebookNode
from nbgrader import utils
from nbgrader.coursedir import CourseDirectory
from nbgrader.nbgraderformat import (
    MetadataValidator,
    SchemaTooNewError,
    SchemaTooOldError,
    ValidationError,
)
from nbgrader.preprocessors import ClearSolutions
from traitlets import Unicode
from traitlets.config import Config, Configurable

from autograder.errors import CourseError
from autograder.lesson import hidden
from autograder.lesson.source import bound_names

FIGURE_TAG = "figure"
"""Tag of cells that only draw; they are skipped while grading."""

OPTIONS = ("ClearSolutions", "HiddenCases")
"""The parts of a course's options that a lesson depends on."""

NOT_PART = (
    *("__pycache__", "*.py[co]", ".ipynb_checkpoints", ".*_cache", ".git", ".idea", ".vscode"),
    *("*~", ".*.sw?", ".#*", "#*#", "*.bak", "*.orig", "*.tmp", ".DS_Store", "._*", "Thumbs.db"),
    "README*",
)
"""Names of files that lie beside a lesson and can matter to no score: made by tools, or prose."""


_SOLUTION_MARK = re.compile(r"^[^\n]*(BEGIN|END) SOLUTION[^\n]*\n?", re.MULTILINE)


class HiddenCases(Configurable):
    """What a course decides about the hidden cases of all its lessons."""

    salt = Unicode(
        "",
        help="Any text of the course's and term's own. The inputs that hidden cases draw depend on "
        "it, the same for all students, so that what is known of them from elsewhere is of no use.",
    ).tag(config=True)


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
    beside: str = ""
    """Hash of the lesson's other files, which its code may read."""
    salt: str = ""
    """What the inputs of its hidden cases depend on, besides their seeds."""

    def cell(self, grade_id: str) -> NotebookNode:
        """Return the author's cell with this nbgrader identifier."""
        for cell in self.node.cells:
            if grade_id_of(cell) == grade_id:
                return cell
        raise KeyError(grade_id)

    def asked_names(self, answer: str) -> set[str]:
        """Return the names that an answer cell must define: those that its check probes."""
        defined = bound_names(self.cell(answer).source, imported=False)
        for question in self.questions:
            if question.name == answer and not question.by_hand:
                block = hidden.split(self.cell(question.grade_id).source)[0]
                return set(hidden.probed_names(block) & defined) or defined
        return defined

    @functools.cached_property
    def fingerprint(self) -> str:
        """Hash of all that can decide what the notebook's questions are worth and what is right.

        That is each cell that runs or that nbgrader manages, with its points, and every file beside
        the notebooks, since code may read any. Free text is left out: to mend a sentence in it
        must not grade a class again.
        """
        cells = [_part(cell) for cell in self.node.cells if _counts(cell)]
        return _hash([self.beside, self.salt, *cells] if self.salt else [self.beside, *cells])

    @functools.cached_property
    def versions(self) -> dict[str, str]:
        """For each question's name, the hash of what a person who grades it by hand has read.

        These are the cells since the question before it, so that points for a written answer stand
        when another question is changed.
        """
        found: dict[str, str] = {}
        parts: list[object] = []
        names = {question.grade_id: question.name for question in self.questions}
        for cell in self.node.cells:
            grade_id = grade_id_of(cell)
            if grade_id is not None:
                parts.append(_part(cell))
            if grade_id in names:
                found[names[grade_id]] = _hash(parts)
                parts = []
        return found

    def solved(self) -> NotebookNode:
        """Return the notebook as a perfect student hands it in."""
        node = copy.deepcopy(self.blank)
        for cell in node.cells:
            if utils.is_solution(cell):
                source = self.cell(cell.metadata.nbgrader["grade_id"]).source
                cell.source = _SOLUTION_MARK.sub("", source).strip("\n")
        return node

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


def _counts(cell: NotebookNode) -> bool:
    return cell.cell_type == "code" or grade_id_of(cell) is not None


def _part(cell: NotebookNode) -> list[object]:
    """Return what of a cell counts; editors keep other things in its metadata, times for example"""
    managed = {k: v for k, v in cell.metadata.get("nbgrader", {}).items() if k != "checksum"}
    return [cell.cell_type, cell.source, sorted(cell.metadata.get("tags", [])), managed]


def _hash(parts: object) -> str:
    text = json.dumps(parts, sort_keys=True, default=str)
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()[:32]


def load(path: Path, config: Config | None = None) -> Lesson:
    """Read the lesson in the folder ``path``.

    Args:
        path: a folder with source notebooks.
        config: the course's options; those of nbgrader's ``ClearSolutions`` decide the stubs, those
            of `HiddenCases` the inputs of hidden cases.

    Raises:
        CourseError: the folder is missing or empty, or a notebook breaks a rule of the format.
    """
    if not path.is_dir():
        raise CourseError(f"There is no lesson folder {path.name!r} in {path.parent}.")
    files = sorted(path.glob("*.ipynb"))
    if not files:
        raise CourseError(f"The lesson folder {path} holds no notebook.")
    ignore = (*CourseDirectory(config=config).ignore, *NOT_PART)
    others = sorted(_files_beside(path, ignore))
    names = tuple(file.name for file in files)
    stamps = tuple((str(file), _stamp(file)) for file in [*files, *others])
    options = repr([config.get(name) for name in OPTIONS]) if config else ""
    return _load(path, names, tuple(others), stamps, options, _ConfigKey(config))


def _files_beside(path: Path, ignore: tuple[str, ...]) -> Iterator[Path]:
    """Yield the files in and below a lesson's folder that are not its notebooks."""

    def kept(names: list[str]) -> list[str]:
        return [name for name in names if not any(fnmatch.fnmatch(name, each) for each in ignore)]

    for parent, folders, names in os.walk(path):
        folders[:] = kept(folders)
        for name in kept(names):
            file = Path(parent, name)
            if file.is_file() and not (file.parent == path and name.endswith(".ipynb")):
                yield file


def _stamp(file: Path) -> tuple[int, ...]:
    """Return what changes with a file; its time alone does not when an older copy is put back."""
    status = file.stat()
    return status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino


class _ConfigKey:
    """Carries the configuration past the cache, whose key is its text."""

    def __init__(self, config: Config | None) -> None:
        self.config = config

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _ConfigKey)

    def __hash__(self) -> int:
        return 0


@functools.lru_cache(maxsize=8)
def _load(
    path: Path,
    names: tuple[str, ...],
    others: tuple[Path, ...],
    _stamps: tuple[Any, ...],
    _options: str,
    box: _ConfigKey,
) -> Lesson:
    beside = hashlib.sha256()
    for file in others:
        beside.update(f"{file.relative_to(path)}\0".encode(errors="surrogateescape"))
        try:
            beside.update(hashlib.sha256(file.read_bytes()).digest())
        except OSError as error:
            raise CourseError(
                f"The lesson's file {file} cannot be read: {error.strerror}."
            ) from error
    notebooks = tuple(_load_notebook(path / name, box.config, beside.hexdigest()) for name in names)
    seen: dict[str, str] = {}
    for notebook in notebooks:
        for question in notebook.questions:
            if question.name in seen:
                raise CourseError(
                    f"Two questions of {path.name} are called {question.name!r}, in "
                    f"{seen[question.name]} and {notebook.name}; give each a name of its own."
                )
            seen[question.name] = notebook.name
    return Lesson(path.name, path, notebooks)


def _load_notebook(path: Path, config: Config | None, beside: str) -> Notebook:
    try:
        node = nbformat.read(path, as_version=4)
    except Exception as error:
        raise CourseError(f"The lesson notebook {path} cannot be read: {error}") from error
    _check_format(path, node)
    _check_metadata(path, node)
    blank = _blank(path, node, config)
    salt = HiddenCases(config=config).salt
    return Notebook(path.stem, path, node, blank, _questions(path, node), beside, salt)


def _check_format(path: Path, node: NotebookNode) -> None:
    ids: set[str] = set()
    for number, cell in enumerate(node.cells, 1):
        if not cell.get("id"):
            raise CourseError(
                f"{path.name}, cell {number} has no identifier; save the notebook in format 4.5."
            )
        grade_id = grade_id_of(cell)
        begins, ends = (cell.source.count(f"{word} SOLUTION") for word in ("BEGIN", "END"))
        if begins != ends:
            raise CourseError(f"{path.name}: {cell.id} has BEGIN SOLUTION without END SOLUTION.")
        if begins and not utils.is_solution(cell):
            raise CourseError(f"{path.name}: {cell.id} has BEGIN SOLUTION and is no answer cell.")
        if grade_id is None:
            if hidden.BEGIN in cell.source:
                raise CourseError(
                    f"{path.name}, cell {number}: only graded cells hold hidden tests."
                )
            continue
        if grade_id in ids:
            raise CourseError(f"{path.name}: two cells have the grade_id {grade_id!r}.")
        ids.add(grade_id)
        if utils.is_solution(cell) and "BEGIN SOLUTION" not in cell.source:
            raise CourseError(f"{path.name}: the answer {grade_id} has no ### BEGIN SOLUTION.")
        if utils.is_grade(cell) and not utils.is_solution(cell):
            _check_graded_cell(path, grade_id, cell)


def _check_metadata(path: Path, node: NotebookNode) -> None:
    """Check what nbgrader wants of its metadata: here once, and not in every submission."""
    try:
        MetadataValidator().validate_nb(node)
    except (ValidationError, SchemaTooOldError, SchemaTooNewError) as error:
        reason = str(error).split("\n")[0]
        raise CourseError(f"{path.name}: nbgrader cannot use its metadata: {reason}.") from error


def _check_graded_cell(path: Path, grade_id: str, cell: NotebookNode) -> None:
    where = f"{path.name}: the hidden block of {grade_id}"
    try:
        probes = hidden.count_probes(hidden.split(cell.source)[0])
        wrong = hidden.misplaced(cell.source)
        borrowed = hidden.borrowed_names(hidden.graded_part(cell.source))
    except SyntaxError as error:
        raise CourseError(f"{where} is not Python: {error}") from error
    if not probes:
        raise CourseError(
            f"{path.name}: the graded cell {grade_id} must call probe(...) between "
            f"### {hidden.BEGIN} and ### {hidden.END}."
        )
    if wrong:
        raise CourseError(f"{where} {wrong}.")
    if borrowed:
        raise CourseError(
            f"{where} uses {', '.join(sorted(borrowed))}, "
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
                raise CourseError(f"{path.name}: no answer cell stands before {grade_id}.")
            points = float(cell.metadata.nbgrader.get("points", 0))
            questions.append(Question(grade_id, name, path.stem, points, by_hand))
    return tuple(questions)


def _blank(path: Path, node: NotebookNode, config: Config | None) -> NotebookNode:
    blank = copy.deepcopy(node)
    clear = ClearSolutions(config=config)
    try:
        blank, _ = clear.preprocess(blank, {})
    except RuntimeError as error:
        raise CourseError(f"{path.name}: {error}.") from error
    for cell in blank.cells:
        cell.source = hidden.visible(cell.source)
    return blank
