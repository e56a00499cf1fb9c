"""Find the answers in a submission, whole and by themselves (desk process).

An answer is recognized, in this order, by its cell's identifiers, its text (the blank stub) and the
names that it defines. Nothing is guessed: where it cannot be told whether a cell defines what was
asked for, the question is not gradable.
"""

from __future__ import annotations

from typing import Any

from nbgrader import utils

from autograder.lesson.model import grade_id_of
from autograder.notes import NOTHING, Kind, Note
from autograder.submission.code import (
    added_lines,
    defines,
    find,
    may_define,
    parses,
    starts_inside,
)
from autograder.submission.pairing import Pairing, identifier_of, normal
from autograder.submission.written import WrittenAnswer

LONG_PROSE = 20
"""Characters from which a text of the lesson is not in an answer by chance."""

MAX_PIECES = 20
"""The most cells before and after one that a split may have made of its answer."""


class Answers:
    """Finds the answers among paired cells, and pairs the cells that hold them."""

    def __init__(self, pairs: Pairing) -> None:
        self._pairs = pairs
        self._keys, self._theirs = pairs.keys, pairs.theirs
        self._joined: set[int] = set()
        """Submitted cells that were joined to the one before them."""
        self.sources: dict[str, str] = {}
        """The answers that were found, by key."""
        self.pictures: dict[str, Any] = {}
        """Attachments of the written ones."""
        self.unclear: dict[str, Note] = {}
        """Why of an answer that was not found it cannot be said that there is none."""

    def find(self) -> None:
        """Find all answers."""
        wanted = {
            self._keys[i]: self._pairs.lesson.asked_names(self._keys[i])
            for i in self._pairs.answers
        }
        self._free_misplaced(wanted)
        for index in self._pairs.answers:
            key = self._keys[index]
            claimed = [j for j, match in enumerate(self._theirs.match) if match == key]
            if self._pairs.own[index].cell_type != "code":
                text = WrittenAnswer(self._pairs, index).find(claimed)
                if text is not None:
                    self.sources[key], self.pictures[key] = text
                continue
            answer = _CodeAnswer(self._pairs, index, wanted[key], self._joined)
            source = answer.find(claimed)
            if source is not None:
                self.sources[key] = source
            elif answer.unclear:
                self.unclear[key] = answer.unclear

    def _free_misplaced(self, wanted: dict[str, set[str]]) -> None:
        """Let go of cells that claim to be one answer and define only another.

        So it is when a student copies an answer cell to write the next answer in it.
        """
        for j, match in enumerate(self._theirs.match):
            if match not in wanted or self._theirs.cells[j].cell_type != "code":
                continue
            names = defines(self._theirs.cells[j].source)
            others = set().union(*(asked for key, asked in wanted.items() if key != match))
            if names & others and not names & wanted[match]:
                self._theirs.match[j] = None


class _CodeAnswer:
    """Finds one answer of code."""

    def __init__(self, pairs: Pairing, index: int, wanted: set[str], joined: set[int]) -> None:
        """Look for the answer of the lesson's cell ``index``, which defines ``wanted`` names."""
        self._pairs = pairs
        self._own, self._keys, self._texts = pairs.own, pairs.keys, pairs.texts
        self._theirs = pairs.theirs
        self._index, self._key = index, pairs.keys[index]
        self._wanted = wanted
        self._joined = joined
        self.unclear = NOTHING

    def find(self, claimed: list[int]) -> str | None:
        """Return the answer, None if there is none, among the cells that claim to be it."""
        key = self._key
        given = [j for j in claimed if not self._pairs.is_blank(self._index, self._theirs.texts[j])]
        if given:
            main = self._choose(given)
            source = self._complete(main)
            for j in claimed:
                if j in self._joined:
                    continue
                if j != main and j in given:
                    self._theirs.match[j] = None  # it stays where it is, as an extra cell
                    self._pairs.note(
                        Kind.COPIED, f"a copy of the answer cell {key} was kept as an extra cell"
                    )
                elif j != main:
                    self._pairs.note(
                        Kind.COPIED, f"a blank copy of the answer cell {key} was ignored"
                    )
            if self._theirs.cells[main].cell_type != "code":
                self._pairs.note(
                    Kind.NOT_CODE, f"the answer cell {key} was turned back into a code cell"
                )
        else:
            found = self._elsewhere()
            if found is None:
                if not claimed:
                    self._pairs.note(
                        Kind.DELETED, f"the answer cell {key} was missing and was put back blank"
                    )
                return None
            main, source = found
        if identifier_of(self._theirs.cells[main]) != key:
            self._pairs.note(
                Kind.NO_METADATA, f"the answer {key} was recognized without its cell's metadata"
            )
        return source

    def _choose(self, given: list[int]) -> int:
        """Return the cell that counts: the last one that defines what is asked for.

        Cells run from top to bottom, so a later definition replaces an earlier one.
        """
        defining = [j for j in given if self._wanted & defines(self._theirs.cells[j].source)]
        if defining:
            return defining[-1]
        return given[0]

    def _complete(self, main: int) -> str:
        """Return a cell's answer, whole again after a split, without what a merge added."""
        source = self._without_neighbours(self._theirs.cells[main].source)
        start, stop = self._window(main)
        if start == main and stop == main + 1:
            return source
        pieces = "\n".join(cell.source for cell in self._theirs.cells[start:stop])
        joined = self._without_neighbours(pieces)
        if not (parses(joined) and self._wanted & defines(joined)):
            return source
        for j in range(start, stop):
            self._theirs.match[j] = self._key
            self._joined.add(j)
        self._pairs.note(Kind.SPLIT, f"the answer cell {self._key} was split and was joined again")
        return joined

    def _window(self, main: int) -> tuple[int, int]:
        """Return the range of cells around one that a split inside a function made of it."""

        def part(j: int) -> bool:
            inside = 0 <= j < len(self._theirs.cells)
            return (
                inside
                and self._theirs.match[j] in (None, self._key)
                and self._theirs.cells[j].cell_type == "code"
            )

        start, stop = main, main + 1
        while (
            stop - main < MAX_PIECES
            and part(stop)
            and starts_inside(self._theirs.cells[stop].source)
        ):
            stop += 1
        while (
            main - start < MAX_PIECES
            and starts_inside(self._theirs.cells[start].source)
            and part(start - 1)
        ):
            start -= 1
        return start, stop

    def _without_neighbours(self, source: str) -> str:
        """Return an answer without the lesson's own cells that were merged into it."""
        lines = normal(source).split("\n")
        for near in range(max(0, self._index - 3), min(len(self._own), self._index + 4)):
            part = self._texts[near].split("\n")
            prose = self._own[near].cell_type != "code" and len(self._texts[near]) >= LONG_PROSE
            managed = grade_id_of(self._own[near]) is not None and len(part) >= 2
            if near == self._index or not (prose or managed):
                continue
            at = find(lines, part)
            if at is not None and len(part) < len(lines):
                lines = lines[:at] + lines[at + len(part) :]
                self._pairs.note(
                    Kind.MERGED,
                    f"the answer cell {self._key} had been merged with another cell "
                    "and was separated",
                )
                source = "\n".join(lines)
        return str(source)

    def _elsewhere(self) -> tuple[int, str] | None:
        """Return where an answer stands that is not in its cell, and its text.

        Looked at are cells that are not the lesson's, and what was added to those that are.
        """
        found: list[tuple[int, str]] = []
        for j, cell in enumerate(self._theirs.cells):
            match = self._theirs.match[j]
            if match is not None and match not in self._pairs.answer_keys:
                continue
            source = self._without_neighbours(cell.source)
            if parses(source):
                names = defines(source)
            else:
                joined = self._complete(j)
                source, names = joined, defines(joined)
            if self._wanted & names and not self._pairs.is_blank(self._index, normal(source)):
                found.append((j, source))
        if not found:
            self.unclear = self._perhaps()
            return None
        main, source = found[-1]
        owner = self._pairs.owner(main)
        if owner is not None and not utils.is_solution(self._own[owner]):
            source = added_lines(self._own[owner].source, source)
            self._pairs.note(
                Kind.MOVED,
                f"the answer {self._key} stood in the cell {self._keys[owner]} "
                "and was moved to its own",
            )
        self._theirs.match[main] = self._key
        return main, source

    def _perhaps(self) -> Note:
        """Return why it cannot be said that there is no answer; nothing if it can."""
        for j, cell in enumerate(self._theirs.cells):
            if self._theirs.match[j] is None and cell.cell_type == "code":
                name, how = may_define(cell.source, self._wanted)
                if name:
                    return Note(
                        Kind.UNCLEAR,
                        f"the answer cell {self._key} is as it was handed out, and cell {j + 1} of "
                        f"the notebook may define {name} {how}; define it in the answer cell",
                    )
        return NOTHING
