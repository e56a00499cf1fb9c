"""Tell which cell of a lesson each cell of a submission is (desk process).

A cell is recognized by its nbgrader identifier, its cell identifier or its text.
"""

from __future__ import annotations

from collections.abc import Iterable

from nbformat.notebooknode import NotebookNode
from nbgrader import utils

from autograder.lesson.model import Notebook, grade_id_of
from autograder.notes import Kind, Note

MAX_REPAIRS = 100
"""The most lines that say what was put right in a notebook."""


def normal(source: str) -> str:
    """Return a source for comparison: without trailing blanks and outer blank lines."""
    return "\n".join(line.rstrip() for line in source.strip().split("\n"))


def identifier_of(cell: NotebookNode) -> str | None:
    """Return what a submitted cell says its nbgrader identifier is, in any schema version."""
    meta = cell.metadata.get("nbgrader")
    if not isinstance(meta, dict):
        return None
    identifier = meta.get("grade_id")
    return identifier if isinstance(identifier, str) else None


class Submitted:
    """The submitted cells, and which of them have been put to use."""

    def __init__(self, cells: Iterable[NotebookNode]) -> None:
        self.cells = list(cells)
        self.texts = [normal(cell.source) for cell in self.cells]
        self.match: list[str | None] = [None] * len(self.cells)
        """The key of the lesson's cell that each submitted cell is, if any."""

    def free(self) -> list[int]:
        return [i for i, match in enumerate(self.match) if match is None]


class Pairing:
    """The cells of a lesson's notebook and of a submission, and which is which."""

    def __init__(self, lesson: Notebook, submitted: NotebookNode) -> None:
        self.lesson = lesson
        self.own = list(lesson.blank.cells)
        self.keys = [grade_id_of(cell) or f"#{i}" for i, cell in enumerate(self.own)]
        """The identifier of each of the lesson's cells, or its place."""
        self.texts = [normal(cell.source) for cell in self.own]
        self.answers = [i for i, cell in enumerate(self.own) if utils.is_solution(cell)]
        """The places of the answer cells."""
        self.answer_keys = {self.keys[i] for i in self.answers}
        self.theirs = Submitted(submitted.cells)
        self.repairs: list[Note] = []

    def note(self, kind: Kind, text: str) -> None:
        """Say what was put right, once, and not without end."""
        if text not in self.repairs and len(self.repairs) < MAX_REPAIRS:
            self.repairs.append(Note(kind, text))

    def is_blank(self, index: int, text: str) -> bool:
        """Return whether an answer is empty or as it was handed out."""
        return not text.strip() or text == self.texts[index]

    def match_by_identifier(self) -> None:
        """Match cells whose nbgrader or cell identifier is one of the lesson's.

        An identifier is believed for a cell that is not an answer only if the text fits too, or if
        no other cell claims it: copies keep identifiers, and what they hold is looked at later.
        """
        by_key = {key: i for i, key in enumerate(self.keys)}
        by_id = {cell.id: i for i, cell in enumerate(self.own)}
        for j, cell in enumerate(self.theirs.cells):
            index = by_key.get(identifier_of(cell) or "")
            if index is None:
                index = by_id.get(cell.get("id", ""))
            if index is None:
                continue
            self._claim(j, index)

    def _claim(self, j: int, index: int) -> None:
        if utils.is_solution(self.own[index]) or self.theirs.texts[j] == self.texts[index]:
            self.theirs.match[j] = self.keys[index]

    def match_by_text(self) -> None:
        """Match cells with exactly the text that the lesson handed out."""
        by_text: dict[str, list[int]] = {}
        for i, text in enumerate(self.texts):
            by_text.setdefault(text, []).append(i)
        taken = set(self.theirs.match)
        for j in self.theirs.free():
            candidates = by_text.get(self.theirs.texts[j], [])
            if candidates:
                unused = [i for i in candidates if self.keys[i] not in taken]
                self.theirs.match[j] = self.keys[(unused or candidates)[0]]
                taken.add(self.theirs.match[j])

    def owner(self, j: int) -> int | None:
        """Return the index of the lesson's cell that a submitted cell says it is."""
        cell = self.theirs.cells[j]
        for i, own in enumerate(self.own):
            if identifier_of(cell) == self.keys[i] or cell.get("id") == own.id:
                return i
        return None
