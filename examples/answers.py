"""Make submissions from answers in small text files, for the demo class and the corpora.

A text file holds Python code with a header of comments::

    # question: add_positions
    # expect: full
    # why: einsum is unusual but right
    def add_positions(token_emb, P):
        ...

The code takes the place of that question's answer in the release; every other answer is the
lesson's own solution. Cells are separated by ``# %%`` lines when there are several::

    # %% answer add_positions             the answer itself
    # %% before add_positions             a cell of the student's before the named one
    # %% after add_positions_check        a cell of the student's after the named one

So the files say only what is special about a submission, and survive every change of a lesson's
prose.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import nbformat
from nbformat.notebooknode import NotebookNode
from nbformat.v4 import new_code_cell

from autograder.lesson.model import Lesson, Notebook, grade_id_of

_HEADER = re.compile(r"# (\w+): (.*)")
_MARK = re.compile(r"# %% (answer|before|after) (\w+)\s*$")


@dataclass(frozen=True)
class Cell:
    """One cell of a student's."""

    place: str
    """``answer``, ``before`` or ``after``."""
    cell: str
    """Identifier of the answer, or of the cell beside which it stands."""
    source: str


@dataclass(frozen=True)
class Entry:
    """One submission of a corpus."""

    name: str
    header: Mapping[str, str]
    cells: tuple[Cell, ...]

    @property
    def question(self) -> str:
        """The question that the submission is about."""
        return self.header["question"]


def parse(text: str, name: str) -> Entry:
    """Return the entry in a text file's content.

    Raises:
        ValueError: the header lacks the question.
    """
    header: dict[str, str] = {}
    lines = text.split("\n")
    while lines and (found := _HEADER.match(lines[0])):
        header[found[1]] = found[2].strip()
        lines.pop(0)
    if "question" not in header:
        raise ValueError(f"{name}: the header must name a question, as '# question: NAME'")
    cells: list[Cell] = []
    place, cell, source = "answer", header["question"], [""]
    for line in lines:
        mark = _MARK.match(line)
        if mark:
            cells.append(Cell(place, cell, "\n".join(source).strip("\n")))
            place, cell, source = mark[1], mark[2], []
        else:
            source.append(line)
    cells.append(Cell(place, cell, "\n".join(source).strip("\n")))
    return Entry(name, header, tuple(own for own in cells if own.source))


def read(path: Path) -> Entry:
    """Return the entry in a text file."""
    return parse(path.read_text(encoding="utf-8"), path.stem)


def answered(notebook: Notebook, entries: Iterable[Entry]) -> NotebookNode:
    """Return a solved notebook in which the entries' cells replace or join its own.

    Raises:
        KeyError: a cell of theirs names a cell that no notebook of the entry's question has.
    """
    node = notebook.solved()
    for entry in entries:
        for own in entry.cells:
            index = _index(node, own.cell)
            if own.place == "answer":
                node.cells[index].source = own.source
            else:
                at = index if own.place == "before" else index + 1
                number = sum(cell.id.startswith("own-") for cell in node.cells)
                node.cells.insert(at, new_code_cell(own.source, id=f"own-{number + 1}"))
    return node


def _index(node: NotebookNode, identifier: str) -> int:
    for i, cell in enumerate(node.cells):
        if grade_id_of(cell) == identifier:
            return i
    raise KeyError(f"there is no cell {identifier!r}")


@dataclass
class Submission:
    """Notebooks to hand in, by file name without ``.ipynb``."""

    notebooks: dict[str, NotebookNode] = field(default_factory=dict)

    def write(self, folder: Path) -> None:
        """Write the notebooks into ``folder``."""
        folder.mkdir(parents=True, exist_ok=True)
        for name, node in self.notebooks.items():
            nbformat.write(node, folder / f"{name}.ipynb")


def submission(lesson: Lesson, entries: Iterable[Entry] = (), *, whole: bool = True) -> Submission:
    """Return a submission: solutions but for the entries' answers.

    Args:
        lesson: the lesson.
        entries: what differs from the solutions.
        whole: whether all notebooks are handed in, or those alone that an entry is about.
    """
    entries = list(entries)
    made = Submission()
    for notebook in lesson.notebooks:
        names = {question.name for question in notebook.questions}
        own = [entry for entry in entries if entry.question in names]
        if whole or own:
            made.notebooks[notebook.name] = answered(notebook, own)
    return made
