"""Rebuild a submitted notebook from the lesson, with the student's answers in it.

The result holds every cell of the lesson exactly as its author wrote it and in the author's order.
From the submission come only the answers and the student's own extra cells. So nothing that an
editor, a tool or a person does to locked cells, metadata or identifiers reaches the grading; what
was repaired is said in one line each.

An answer is recognized, in this order, by its nbgrader identifier, its cell identifier, its text
(the blank stub) and the names that it defines. Nothing is guessed: where it cannot be told whether
there is an answer, `Restored.unclear` says why.
"""

from __future__ import annotations

import copy
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from nbformat.notebooknode import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell
from nbgrader import utils

from autograder.lesson.model import Notebook, grade_id_of
from autograder.notes import Kind, Note
from autograder.sanitize.budget import Budget
from autograder.sanitize.markdown import clean_markdown
from autograder.submission import code
from autograder.submission.answers import Answers
from autograder.submission.code import added_lines, adds_only, defines
from autograder.submission.pairing import Pairing, identifier_of, normal
from autograder.submission.written import added_text

_EXTRA = "extra"
"""Identifier of the student's own cells, to which a number is added."""

FORMAT_SECONDS = 2.5
"""CPU-seconds in which the student's texts are tried out; what is left is shown as it was typed."""


@dataclass
class Restored:
    """A rebuilt notebook."""

    node: NotebookNode
    repairs: list[Note] = field(default_factory=list)
    """One line for each thing that was put right, for the student and the report."""
    blank: set[str] = field(default_factory=set)
    """Identifiers of the answers that were left as they were handed out."""
    unclear: dict[str, Note] = field(default_factory=dict)
    """Why it cannot be said of some of these that the student gave none."""


def likeness(notebook: Notebook, submitted: NotebookNode) -> float:
    """Return which share of the lesson notebook's cells a submitted notebook contains, 0 to 1."""
    marks = {identifier_of(cell) for cell in submitted.cells} | {
        cell.get("id") for cell in submitted.cells
    }
    texts = {normal(cell.source) for cell in submitted.cells}
    own = notebook.blank.cells
    # Setup cells and headings recur in every notebook: only identifiers of answers and texts count.
    found = sum(
        normal(cell.source) in texts
        or (utils.is_solution(cell) and bool({grade_id_of(cell), cell.id} & marks))
        for cell in own
    )
    return float(found) / max(1, len(own))


def defines_answers(notebook: Notebook, submitted: NotebookNode) -> bool:
    """Return whether a submitted notebook defines a name that the lesson's notebook asks for."""
    asked = set().union(*(notebook.asked_names(question.name) for question in notebook.questions))
    return any(asked & defines(cell.source) for cell in submitted.cells)


def answers_given(notebook: Notebook, submitted: NotebookNode) -> dict[str, str]:
    """Return the answers in a submission that were begun and finished, by identifier.

    One that still holds all lines of its stub, ``raise NotImplementedError()`` say, is not.
    """
    restored = restore(notebook, submitted)
    return {
        identifier: normal(cell.source)
        for cell in restored.node.cells
        if utils.is_solution(cell)
        and (identifier := grade_id_of(cell)) is not None
        and identifier not in restored.blank
        and not _holds_stub(notebook, identifier, cell.source)
    }


def _holds_stub(notebook: Notebook, identifier: str, answer: str) -> bool:
    handed_out = next(c for c in notebook.blank.cells if grade_id_of(c) == identifier).source
    stub = _lines(handed_out) - _lines(notebook.cell(identifier).source)
    return bool(stub) and stub <= _lines(answer)


def _lines(source: str) -> set[str]:
    return {line.strip() for line in source.split("\n") if line.strip()}


def restore(notebook: Notebook, submitted: NotebookNode) -> Restored:
    """Return the lesson's notebook with the answers and extra cells of a submission.

    Args:
        notebook: the lesson's notebook.
        submitted: the student's, as `autograder.submission.read.read_notebook` gives it.
    """
    try:
        pairs = Pairing(notebook, submitted)
        pairs.match_by_identifier()
        pairs.match_by_text()
        answers = Answers(pairs)
        answers.find()
        return _Rebuilder(pairs, answers).rebuild()
    finally:  # one submission's texts are not kept while the next is restored
        code.forget()


class _Rebuilder:
    """Puts a notebook together from the lesson's cells, the answers and the student's own cells."""

    def __init__(self, pairs: Pairing, answers: Answers) -> None:
        self._pairs = pairs
        self._own, self._keys, self._theirs = pairs.own, pairs.keys, pairs.theirs
        self._answers = answers
        self._budget = Budget(FORMAT_SECONDS, FORMAT_SECONDS / 5)
        self._extras: dict[int, list[NotebookNode]] = {}
        """Extra cells by the index of the lesson's cell after which they stand, -1 for the top."""

    def rebuild(self) -> Restored:
        """Return the rebuilt notebook."""
        for key, pictures in self._answers.pictures.items():
            cleaned = self._cleaned(self._answers.sources[key], pictures)
            self._answers.sources[key], self._answers.pictures[key] = cleaned
        self._match_edited_prose()
        self._place_the_rest()
        return self._build()

    def _match_edited_prose(self) -> None:
        """Match the lesson's other cells that were edited, and keep what was added to code."""
        taken = set(self._theirs.match)
        for j in self._theirs.free():
            owner = self._pairs.owner(j)
            if owner is None or utils.is_solution(self._own[owner]):
                continue
            key = self._keys[owner]
            if key in taken and self._theirs.cells[j].cell_type == "code":
                continue  # a copy that was changed: the student's own cell
            self._theirs.match[j] = key
            taken.add(key)
            self._keep_additions(j, owner)

    def _keep_additions(self, j: int, owner: int) -> None:
        own, cell = self._own[owner], self._theirs.cells[j]
        key = grade_id_of(own)
        if own.cell_type != "code":
            added = added_text(own.source, cell.source)
            if added:
                made = new_markdown_cell(added)
                if cell.get("attachments"):
                    made.attachments = cell.attachments
                self._extras.setdefault(owner, []).append(self._extra(made))
                if key is not None:
                    self._pairs.note(
                        Kind.LOCKED,
                        f"the locked cell {key} was restored; what was added to it stands after it",
                    )
            return
        if key is None:
            # An open demo cell: the student may play with it, and later cells may build on that.
            self._extras.setdefault(owner, []).append(self._extra(cell))
            return
        added = added_lines(own.source, cell.source)
        if added and adds_only(added, own.source):
            self._extras.setdefault(owner, []).append(new_code_cell(added, id=_EXTRA))
            self._pairs.note(
                Kind.LOCKED,
                f"the locked cell {key} was restored; what was added to it runs after it",
            )
        else:
            self._pairs.note(Kind.LOCKED, f"the locked cell {key} was changed and was restored")

    def _place_the_rest(self) -> None:
        """Keep the student's own cells after the lesson's cell that they followed."""
        position = {key: i for i, key in enumerate(self._keys)}
        anchor = -1
        answered: set[str] = set()
        for j, match in enumerate(self._theirs.match):
            if match is not None:
                # A later copy of a matched cell does not move the place.
                if match not in answered:
                    anchor = position[match]
                answered.add(match)
                continue
            cell = self._theirs.cells[j]
            if self._theirs.texts[j]:
                self._extras.setdefault(anchor, []).append(self._extra(cell))

    def _extra(self, cell: NotebookNode) -> NotebookNode:
        """Return a student's own cell without metadata that could claim to be the lesson's."""
        if cell.cell_type == "code":
            return new_code_cell(cell.source, id=_EXTRA)
        text, pictures = self._cleaned(cell.source, cell.get("attachments"))
        made = new_markdown_cell(text, id=_EXTRA)
        if pictures:
            made.attachments = pictures
        return made

    def _cleaned(self, text: str, pictures: Any) -> tuple[str, dict[str, Any]]:
        text, kept, notes = clean_markdown(
            text, pictures, budget=self._budget, taken=self._pairs.answer_keys
        )
        for note in notes:
            self._pairs.note(note.kind, note)
        return text, kept

    def _build(self) -> Restored:
        node = copy.deepcopy(self._pairs.lesson.node)
        handed_out = {self._keys[i]: self._own[i] for i in range(len(self._own))}
        matched = set(self._theirs.match)
        cells: list[NotebookNode] = list(self._extras.get(-1, []))
        blank: set[str] = set()
        for i, cell in enumerate(node.cells):
            key = self._keys[i]
            if utils.is_solution(cell):
                cell.source = self._answers.sources.get(key, handed_out[key].source)
                cell.pop("attachments", None)
                if self._answers.pictures.get(key):
                    cell.attachments = self._answers.pictures[key]
                if key not in self._answers.sources:
                    blank.add(key)
                cell.metadata.nbgrader["checksum"] = utils.compute_checksum(handed_out[key])
            elif grade_id_of(cell) is not None and key not in matched:
                self._pairs.note(Kind.DELETED, f"the cell {key} was missing and was put back")
            cells.append(cell)
            cells += self._extras.get(i, [])
        self._note_order()
        node.cells = cells
        _give_unique_ids(node)
        return Restored(node, self._pairs.repairs, blank, self._answers.unclear)

    def _note_order(self) -> None:
        position = {key: i for i, key in enumerate(self._keys)}
        order = [position[m] for m in dict.fromkeys(m for m in self._theirs.match if m)]
        if order != sorted(order):
            self._pairs.note(
                Kind.ORDER, "cells stood in another order and were put back in the lesson's order"
            )
        counts = Counter(match for match in self._theirs.match if match)
        for key in sorted(
            {key for key, count in counts.items() if count > 1} - set(self._answers.sources)
        ):
            if not key.startswith("#"):
                self._pairs.note(
                    Kind.COPIED, f"the cell {key} was there more than once; one was kept"
                )


def _give_unique_ids(node: NotebookNode) -> None:
    extras = [cell for cell in node.cells if cell.id == _EXTRA]
    for number, cell in enumerate(extras, 1):
        cell.id = f"{_EXTRA}-{number}"
