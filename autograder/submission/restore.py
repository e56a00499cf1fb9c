"""Rebuild a submitted notebook from the lesson, with the student's answers in it.

The result holds every cell of the lesson exactly as its author wrote it and in the author's order.
From the submission come only the answers and the student's own extra cells. So nothing that an
editor, a tool or a person does to locked cells, metadata or identifiers reaches the grading; what
was repaired is said in one line each.

An answer is recognized, in this order, by its nbgrader identifier, its cell identifier, its text
(the blank stub) and the names that it defines. Nothing is guessed: where the evidence is
ambiguous, `NotGradable` says so.
"""

from __future__ import annotations

import ast
import copy
import functools
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from nbformat.notebooknode import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell
from nbgrader import utils
from rapidfuzz.distance import Indel, LCSseq

from autograder.errors import NotGradable
from autograder.lesson.model import Notebook, defined_names, grade_id_of
from autograder.notes import Kind, Note, kind_of
from autograder.sanitize.budget import Budget
from autograder.sanitize.markdown import clean_markdown

_EXTRA = "extra"
"""Identifier of the student's own cells, to which a number is added."""

LONG_PROSE = 20
"""Characters from which a text of the lesson is not in an answer by chance."""

SIMILAR = 0.75
"""Share of equal characters from which an edited text counts as the same cell.

Two unrelated English texts have about 0.6 of their characters in common, in this order.
"""


FORMAT_SECONDS = 2.5
"""CPU-seconds in which the student's texts are tried out; what is left is shown as it was typed."""

MAX_PIECES = 20
"""The most cells before and after one that a split may have made of its answer."""

MAX_REPAIRS = 100
"""The most lines that say what was put right in a notebook."""


@dataclass
class Restored:
    """A rebuilt notebook."""

    node: NotebookNode
    repairs: list[Note] = field(default_factory=list)
    """One line for each thing that was put right, for the student and the report."""
    blank: set[str] = field(default_factory=set)
    """Identifiers of the answers that were left as they were handed out."""


def normal(source: str) -> str:
    """Return a source for comparison: without trailing blanks and outer blank lines."""
    return "\n".join(line.rstrip() for line in source.strip().split("\n"))


def likeness(notebook: Notebook, submitted: NotebookNode) -> float:
    """Return which share of the lesson notebook's cells a submitted notebook contains, 0 to 1."""
    marks = {_identifier(cell) for cell in submitted.cells} | {
        cell.get("id") for cell in submitted.cells
    }
    texts = {normal(cell.source) for cell in submitted.cells}
    own = [cell for cell in notebook.blank.cells if cell.source.strip()]
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
    return any(asked & _defines(cell.source) for cell in submitted.cells)


def answers_given(notebook: Notebook, submitted: NotebookNode) -> dict[str, str]:
    """Return the answers in a submission that are not blank, by identifier."""
    try:
        restored = restore(notebook, submitted)
    except NotGradable:
        return {}
    return {
        identifier: normal(cell.source)
        for cell in restored.node.cells
        if utils.is_solution(cell)
        and (identifier := grade_id_of(cell)) is not None
        and identifier not in restored.blank
    }


def _identifier(cell: NotebookNode) -> str | None:
    """Return what a submitted cell says its nbgrader identifier is, in any schema version."""
    meta = cell.metadata.get("nbgrader")
    if not isinstance(meta, dict):
        return None
    identifier = meta.get("grade_id")
    return identifier if isinstance(identifier, str) and identifier else None


class _Submission:
    """The submitted cells, and which of them have been put to use."""

    def __init__(self, cells: Iterable[NotebookNode]) -> None:
        self.cells = list(cells)
        self.texts = [normal(cell.source) for cell in self.cells]
        self.match: list[str | None] = [None] * len(self.cells)
        """The key of the lesson's cell that each submitted cell is, if any."""

    def free(self) -> list[int]:
        return [i for i, match in enumerate(self.match) if match is None]


def restore(notebook: Notebook, submitted: NotebookNode) -> Restored:
    """Return the lesson's notebook with the answers and extra cells of a submission.

    Args:
        notebook: the lesson's notebook.
        submitted: the student's, as `autograder.submission.read.read_notebook` gives it.

    Raises:
        NotGradable: an answer cannot be told from others without guessing.
    """
    try:
        return _Restorer(notebook, submitted).run()
    finally:  # one submission's texts are not kept while the next is restored
        _parses.cache_clear()
        _defines.cache_clear()


class _Restorer:
    def __init__(self, notebook: Notebook, submitted: NotebookNode) -> None:
        self._lesson = notebook
        self._own = list(notebook.blank.cells)
        self._keys = [grade_id_of(cell) or f"#{i}" for i, cell in enumerate(self._own)]
        self._texts = [normal(cell.source) for cell in self._own]
        self._answer_keys = {self._keys[i] for i in self._answer_indices()}
        self._theirs = _Submission(submitted.cells)
        self._repairs: list[Note] = []
        self._answers: dict[str, str] = {}
        self._pictures: dict[str, Any] = {}
        """Attachments of the written answers."""
        self._budget = Budget(FORMAT_SECONDS, FORMAT_SECONDS / 5)
        self._joined: set[int] = set()
        """Submitted cells that were joined to the one before them."""
        self._extras: dict[int, list[NotebookNode]] = {}
        """Extra cells by the index of the lesson's cell after which they stand, -1 for the top."""

    def _answer_indices(self) -> list[int]:
        return [i for i, cell in enumerate(self._own) if utils.is_solution(cell)]

    def run(self) -> Restored:
        self._match_by_identifier()
        self._match_by_text()
        self._find_answers()
        self._match_edited_prose()
        self._place_the_rest()
        return self._build()

    # Matching -------------------------------------------------------------------------------

    def _match_by_identifier(self) -> None:
        """Match cells whose nbgrader or cell identifier is one of the lesson's.

        An identifier is believed for a cell that is not an answer only if the text fits too, or if
        no other cell claims it: copies keep identifiers, and what they hold is looked at later.
        """
        by_key = {key: i for i, key in enumerate(self._keys)}
        by_id = {cell.id: i for i, cell in enumerate(self._own)}
        for j, cell in enumerate(self._theirs.cells):
            index = by_key.get(_identifier(cell) or "")
            if index is None:
                index = by_id.get(cell.get("id", ""))
            if index is None:
                continue
            self._claim(j, index)

    def _claim(self, j: int, index: int) -> None:
        if utils.is_solution(self._own[index]) or self._theirs.texts[j] == self._texts[index]:
            self._theirs.match[j] = self._keys[index]

    def _match_by_text(self) -> None:
        """Match cells with exactly the text that the lesson handed out."""
        by_text: dict[str, list[int]] = {}
        for i, text in enumerate(self._texts):
            if text:
                by_text.setdefault(text, []).append(i)
        taken = set(self._theirs.match)
        for j in self._theirs.free():
            candidates = by_text.get(self._theirs.texts[j], [])
            if candidates:
                unused = [i for i in candidates if self._keys[i] not in taken]
                self._theirs.match[j] = self._keys[(unused or candidates)[0]]
                taken.add(self._theirs.match[j])

    # Answers --------------------------------------------------------------------------------

    def _find_answers(self) -> None:
        wanted = {
            self._keys[i]: self._lesson.asked_names(self._keys[i]) for i in self._answer_indices()
        }
        self._free_misplaced(wanted)
        for index in self._answer_indices():
            key = self._keys[index]
            claimed = [j for j, match in enumerate(self._theirs.match) if match == key]
            if self._own[index].cell_type == "code":
                self._find_code(index, key, claimed)
            else:
                self._find_text(index, key, claimed)

    def _free_misplaced(self, wanted: dict[str, set[str]]) -> None:
        """Let go of cells that claim to be one answer and define only another.

        So it is when a student copies an answer cell to write the next answer in it.
        """
        for j, match in enumerate(self._theirs.match):
            if match not in wanted or self._theirs.cells[j].cell_type != "code":
                continue
            defines = _defines(self._theirs.cells[j].source)
            others = set().union(*(names for key, names in wanted.items() if key != match))
            if defines & others and not defines & wanted[match]:
                self._theirs.match[j] = None

    def _is_blank(self, index: int, text: str) -> bool:
        return not text.strip() or text == self._texts[index]

    def _find_code(self, index: int, key: str, claimed: list[int]) -> None:
        wanted = self._lesson.asked_names(key)
        given = [j for j in claimed if not self._is_blank(index, self._theirs.texts[j])]
        if given:
            main = self._choose(given, wanted)
            source = self._complete(main, index, wanted)
            for j in claimed:
                if j in self._joined:
                    continue
                if j != main and j in given:
                    self._theirs.match[j] = None  # it stays where it is, as an extra cell
                    self._note(
                        Kind.COPIED, f"a copy of the answer cell {key} was kept as an extra cell"
                    )
                elif j != main:
                    self._note(Kind.COPIED, f"a blank copy of the answer cell {key} was ignored")
            if self._theirs.cells[main].cell_type != "code":
                self._note(Kind.NOT_CODE, f"the answer cell {key} was turned back into a code cell")
        else:
            found = self._elsewhere(index, wanted)
            if found is None:
                if not claimed:
                    self._note(
                        Kind.DELETED, f"the answer cell {key} was missing and was put back blank"
                    )
                return
            main, source = found
            for extra in claimed[1:]:
                self._theirs.match[extra] = key
        if _identifier(self._theirs.cells[main]) != key:
            self._note(
                Kind.NO_METADATA, f"the answer {key} was recognized without its cell's metadata"
            )
        self._answers[key] = source

    def _choose(self, given: list[int], wanted: set[str]) -> int:
        """Return the cell that counts: the last one that defines what is asked for.

        Cells run from top to bottom, so a later definition replaces an earlier one.
        """
        defining = [j for j in given if wanted & _defines(self._theirs.cells[j].source)]
        if defining:
            return defining[-1]
        return given[0]

    def _complete(self, main: int, index: int, wanted: set[str]) -> str:
        """Return a cell's answer, whole again after a split, without what a merge added."""
        source = self._without_neighbours(self._theirs.cells[main].source, index)
        start, stop = self._window(main, index)
        if start == main and stop == main + 1:
            return source
        parts = [source if j == main else self._theirs.cells[j].source for j in range(start, stop)]
        joined = "\n".join(parts)
        if not _parses(joined) or not wanted & _defines(joined):
            return source
        for j in range(start, stop):
            self._theirs.match[j] = self._keys[index]
            self._joined.add(j)
        self._note(
            Kind.SPLIT, f"the answer cell {self._keys[index]} was split and was joined again"
        )
        return joined

    def _window(self, main: int, index: int) -> tuple[int, int]:
        """Return the range of cells around one that a split inside a function made of it."""

        def part(j: int) -> bool:
            inside = 0 <= j < len(self._theirs.cells)
            return (
                inside
                and self._theirs.match[j] in (None, self._keys[index])
                and self._theirs.cells[j].cell_type == "code"
            )

        start, stop = main, main + 1
        while (
            stop - main < MAX_PIECES
            and part(stop)
            and _starts_inside(self._theirs.cells[stop].source)
        ):
            stop += 1
        while (
            main - start < MAX_PIECES
            and _starts_inside(self._theirs.cells[start].source)
            and part(start - 1)
        ):
            start -= 1
        return start, stop

    def _without_neighbours(self, source: str, index: int) -> str:
        """Return an answer without the lesson's own cells that were merged into it."""
        lines = normal(source).split("\n")
        for near in range(max(0, index - 3), min(len(self._own), index + 4)):
            part = self._texts[near].split("\n")
            prose = self._own[near].cell_type != "code" and len(self._texts[near]) >= LONG_PROSE
            managed = grade_id_of(self._own[near]) is not None and len(part) >= 2
            if near == index or not (prose or managed):
                continue
            at = _find(lines, part)
            if at is not None and len(part) < len(lines):
                lines = lines[:at] + lines[at + len(part) :]
                self._note(
                    Kind.MERGED,
                    f"the answer cell {self._keys[index]} had been merged with another cell "
                    "and was separated",
                )
                source = "\n".join(lines)
        return str(source)

    def _elsewhere(self, index: int, wanted: set[str]) -> tuple[int, str] | None:
        """Return where an answer stands that is not in its cell, and its text.

        Looked at are cells that are not the lesson's, and what was added to those that are.
        """
        found: list[tuple[int, str]] = []
        for j, cell in enumerate(self._theirs.cells):
            match = self._theirs.match[j]
            other_answer = match in self._answer_keys and match != self._keys[index]
            if (match is not None and not other_answer) or not self._theirs.texts[j]:
                continue
            source = self._without_neighbours(cell.source, index)
            if _parses(source):
                defines = _defines(source)
            else:
                joined = self._complete(j, index, wanted)
                source, defines = joined, _defines(joined)
            if wanted & defines and not self._is_blank(index, normal(source)):
                found.append((j, source))
        if not found:
            return None
        main, source = found[-1]
        owner = self._owner(main)
        if owner is not None and not utils.is_solution(self._own[owner]):
            source = _added(self._own[owner].source, source)
            self._note(
                Kind.MOVED,
                f"the answer {self._keys[index]} stood in the cell {self._keys[owner]} "
                "and was moved to its own",
            )
        if self._theirs.match[main] is None:
            self._theirs.match[main] = self._keys[index]
        return main, source

    def _owner(self, j: int) -> int | None:
        """Return the index of the lesson's cell that a submitted cell says it is."""
        cell = self._theirs.cells[j]
        for i, own in enumerate(self._own):
            if _identifier(cell) == self._keys[i] or (cell.get("id") and cell.id == own.id):
                return i
        return None

    def _find_text(self, index: int, key: str, claimed: list[int]) -> None:
        given = [j for j in claimed if not self._is_blank(index, self._theirs.texts[j])]
        if not given:
            given = self._text_in_gap(index) if not claimed else []
            if len(given) > 1:
                raise NotGradable(
                    Kind.AMBIGUOUS,
                    f"the written answer {key} has lost its mark; {len(given)} cells could be it",
                )
            if not given:
                if not claimed:
                    self._note(
                        Kind.DELETED, f"the answer cell {key} was missing and was put back blank"
                    )
                return
            self._note(
                Kind.NO_METADATA, f"the answer {key} was recognized without its cell's metadata"
            )
        texts: list[str] = []
        pictures: dict[str, Any] = {}
        for j in given:
            self._theirs.match[j] = key
            text = _with_own_pictures(self._theirs.cells[j], self._theirs.texts[j], pictures)
            if text not in texts:
                texts.append(text)
        if len(texts) > 1:
            self._note(Kind.SPLIT, f"{len(texts)} cells of the written answer {key} were joined")
        self._answers[key], self._pictures[key] = self._cleaned("\n\n".join(texts), pictures)

    def _text_in_gap(self, index: int) -> list[int]:
        """Return the unmatched text cells between the lesson's cells around an answer."""
        before = {self._keys[i] for i in range(index)}
        after = {self._keys[i] for i in range(index + 1, len(self._own))}
        start = max((j for j, m in enumerate(self._theirs.match) if m in before), default=-1)
        ends = (j for j, m in enumerate(self._theirs.match) if m in after and j > start)
        stop = min(ends, default=len(self._theirs.cells))
        return [
            j
            for j in range(start + 1, stop)
            if self._theirs.match[j] is None
            and self._theirs.cells[j].cell_type != "code"
            and self._theirs.texts[j]
        ]

    # The rest -------------------------------------------------------------------------------

    def _match_edited_prose(self) -> None:
        """Match the lesson's other cells that were edited, and keep what was added to code."""
        taken = set(self._theirs.match)
        for j in self._theirs.free():
            owner = self._owner(j)
            if owner is None:
                owner = self._most_similar(j, taken)
            if owner is None or utils.is_solution(self._own[owner]):
                continue
            key = self._keys[owner]
            if key in taken and self._theirs.cells[j].cell_type == "code":
                continue  # a copy that was changed: the student's own cell
            self._theirs.match[j] = key
            taken.add(key)
            self._keep_additions(j, owner)

    def _most_similar(self, j: int, taken: set[str | None]) -> int | None:
        text, kind = self._theirs.texts[j], self._theirs.cells[j].cell_type
        best, best_ratio = None, SIMILAR
        for i, own in enumerate(self._own):
            if self._keys[i] in taken or own.cell_type != kind or utils.is_solution(own):
                continue
            mine = self._texts[i]
            # The share that two texts of these lengths can have at most.
            if 2 * min(len(text), len(mine)) <= best_ratio * (len(text) + len(mine)):
                continue
            ratio = Indel.normalized_similarity(text, mine, score_cutoff=best_ratio)
            if ratio > best_ratio:
                best, best_ratio = i, ratio
        return best

    def _keep_additions(self, j: int, owner: int) -> None:
        own, cell = self._own[owner], self._theirs.cells[j]
        if own.cell_type != "code":
            return
        key = grade_id_of(own)
        if key is None:
            # An open demo cell: the student may play with it, and later cells may build on that.
            if cell.cell_type == "code":
                self._extras.setdefault(owner, []).append(self._extra(cell))
            return
        added = _added(own.source, cell.source)
        if self._theirs.cells[j].cell_type == "code" and added and _adds_only(added, own.source):
            self._extras.setdefault(owner, []).append(new_code_cell(added, id=_EXTRA))
            self._note(
                Kind.LOCKED,
                f"the locked cell {key} was restored; what was added to it runs after it",
            )
        else:
            self._note(Kind.LOCKED, f"the locked cell {key} was changed and was restored")

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
            text, pictures, budget=self._budget, taken=self._answer_keys
        )
        for note in notes:
            self._note(kind_of(note), note)
        return text, kept

    def _note(self, kind: Kind, text: str) -> None:
        if text not in self._repairs and len(self._repairs) < MAX_REPAIRS:
            self._repairs.append(Note(kind, text))

    def _build(self) -> Restored:
        node = copy.deepcopy(self._lesson.node)
        handed_out = {self._keys[i]: self._own[i] for i in range(len(self._own))}
        matched = set(self._theirs.match)
        cells: list[NotebookNode] = list(self._extras.get(-1, []))
        blank: set[str] = set()
        for i, cell in enumerate(node.cells):
            key = self._keys[i]
            if utils.is_solution(cell):
                cell.source = self._answers.get(key, handed_out[key].source)
                cell.pop("attachments", None)
                if self._pictures.get(key):
                    cell.attachments = self._pictures[key]
                if key not in self._answers:
                    blank.add(key)
                cell.metadata.nbgrader["checksum"] = utils.compute_checksum(handed_out[key])
            elif grade_id_of(cell) is not None and key not in matched:
                self._note(Kind.DELETED, f"the cell {key} was missing and was put back")
            cells.append(cell)
            cells += self._extras.get(i, [])
        self._note_order()
        node.cells = cells
        _give_unique_ids(node)
        return Restored(node, self._repairs, blank)

    def _note_order(self) -> None:
        position = {key: i for i, key in enumerate(self._keys)}
        order = [position[m] for m in dict.fromkeys(m for m in self._theirs.match if m)]
        if order != sorted(order):
            self._note(
                Kind.ORDER, "cells stood in another order and were put back in the lesson's order"
            )
        counts = Counter(match for match in self._theirs.match if match)
        for key in sorted({key for key, count in counts.items() if count > 1} - set(self._answers)):
            if not key.startswith("#"):
                self._note(Kind.COPIED, f"the cell {key} was there more than once; one was kept")


@functools.lru_cache(maxsize=10_000)
def _parses(source: str) -> bool:
    try:
        ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


@functools.lru_cache(maxsize=10_000)
def _defines(source: str) -> frozenset[str]:
    """Return the names that a cell defines; the same cell is asked about for every question."""
    return frozenset(defined_names(source))


def _starts_inside(source: str) -> bool:
    """Whether the first line of code is indented, as after a split inside a function."""
    for line in source.split("\n"):
        if line.strip():
            return line[0] in " \t"
    return False


def _find(lines: list[str], part: list[str]) -> int | None:
    for at in range(len(lines) - len(part) + 1):
        if lines[at] == part[0] and lines[at : at + len(part)] == part:
            return at
    return None


def _added(original: str, edited: str) -> str:
    """Return the lines of an edited source that are not in the original."""
    lines = normal(edited).split("\n")
    added: list[str] = []
    for step in LCSseq.opcodes(normal(original).split("\n"), lines):
        if step.tag in ("insert", "replace"):
            added += lines[step.dest_start : step.dest_end]
    return "\n".join(added)


def _adds_only(added: str, original: str) -> bool:
    """Whether added code defines new names and replaces none of the original's."""
    if not _parses(added):
        return False
    kinds = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef, ast.Assign)
    tree = ast.parse(added)
    if not all(isinstance(node, kinds) for node in tree.body):
        return False
    imports = all(isinstance(node, ast.Import | ast.ImportFrom) for node in tree.body)
    return imports or not _defines(added) & _defines(original)


def _with_own_pictures(cell: NotebookNode, text: str, pictures: dict[str, Any]) -> str:
    """Add a cell's attachments to ``pictures``, and return its text with the names they have there.

    Editors call the picture of every cell ``image.png``.
    """
    for name, picture in cell.get("attachments", {}).items():
        own = name
        while own in pictures and pictures[own] != picture:
            own = f"again-{own}"
        pictures[own] = picture
        if own != name:
            text = text.replace(f"attachment:{name}", f"attachment:{own}")
    return text


def _give_unique_ids(node: NotebookNode) -> None:
    taken = {cell.id for cell in node.cells if cell.id != _EXTRA}
    number = 0
    for cell in node.cells:
        if cell.id == _EXTRA:
            number += 1
            while f"{_EXTRA}-{number}" in taken:
                number += 1
            cell.id = f"{_EXTRA}-{number}"
