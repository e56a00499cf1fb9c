"""Find a written answer, wherever near its cell a student typed it (desk process).

A person grades it. So what may be the answer is put before that person rather than left out: text
in a cell of its own above or below, text typed into the question, comments in code, pictures.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection
from typing import Any

from nbgrader import utils

from autograder.lesson.source import parse
from autograder.notes import Kind
from autograder.submission.code import added_lines
from autograder.submission.pairing import Pairing

_SHOWS = re.compile(
    r"^%%(html|markdown|latex|svg|javascript|js)\b"
    r"|\b(Image|HTML|Markdown|Latex|SVG|Video|IFrame|imshow|savefig)\s*\("
    r"|\b(plt|ax)\.",
    re.MULTILINE,
)
"""Code that shows a picture or a text."""

Pictures = dict[str, Any]


class WrittenAnswer:
    """Finds one written answer."""

    def __init__(self, pairs: Pairing, index: int) -> None:
        """Look for the answer of the lesson's cell ``index``."""
        self._pairs, self._theirs = pairs, pairs.theirs
        self._index, self._key = index, pairs.keys[index]
        self._handed_out = tuple(pairs.own[index].get("attachments", {}))

    def find(self, claimed: list[int]) -> tuple[str, Pictures] | None:
        """Return the answer and its attachments; None if there is none.

        Args:
            claimed: the submitted cells that say they are the answer.
        """
        own = [j for j in claimed if not self._is_blank(j)]
        pieces = [(j, self._theirs.texts[j]) for j in own] or self._beside()
        if not pieces:
            if not claimed:
                self._pairs.note(
                    Kind.DELETED, f"the answer cell {self._key} was missing and was put back blank"
                )
            return None
        if not own:
            self._note_where(claimed, [j for j, _ in pieces])
        texts: list[str] = []
        pictures: Pictures = {}
        for j, text in pieces:
            text = _with_own_pictures(self._attachments(j), text, pictures, self._handed_out)
            if text not in texts:
                texts.append(text)
        if len(texts) > 1:
            self._pairs.note(
                Kind.SPLIT, f"{len(texts)} cells of the written answer {self._key} were joined"
            )
        return "\n\n".join(texts), pictures

    def _is_blank(self, j: int) -> bool:
        blank = self._pairs.is_blank(self._index, self._theirs.texts[j])
        return blank and not set(self._attachments(j)) - set(self._handed_out)

    def _attachments(self, j: int) -> Pictures:
        return dict(self._theirs.cells[j].get("attachments", {}))

    def _note_where(self, claimed: list[int], found: list[int]) -> None:
        if not claimed and len(found) == 1:
            self._pairs.note(
                Kind.NO_METADATA,
                f"the answer {self._key} was recognized without its cell's metadata",
            )
        else:
            self._pairs.note(
                Kind.MOVED,
                f"the written answer {self._key} was not in its cell; what was written beside it "
                "was taken for the answer",
            )

    def _beside(self) -> list[tuple[int, str]]:
        """Return what stands around a blank answer cell and may be the answer, by cell.

        Text cells and added text become the answer's own. Code stays where it is, and is quoted.
        """
        typed = self._typed_into_the_lesson()
        start, stop = self._gap()
        for j in range(start, stop):
            cell, text = self._theirs.cells[j], self._theirs.texts[j]
            if self._theirs.match[j] not in (None, self._key):
                continue
            if cell.cell_type != "code":
                if not self._is_blank(j):
                    typed[j] = text
                    self._theirs.match[j] = self._key
            elif self._theirs.match[j] is None and (said := words_in_code(text)):
                typed[j] = said
        return sorted(typed.items())

    def _gap(self) -> tuple[int, int]:
        """Return the range of submitted cells between the lesson's cells around the answer."""
        before = {self._pairs.keys[i] for i in range(self._index)}
        after = {self._pairs.keys[i] for i in range(self._index + 1, len(self._pairs.own))}
        match = self._theirs.match
        start = max((j for j, m in enumerate(match) if m in before), default=-1)
        ends = (j for j, m in enumerate(match) if m in after and j > start)
        return start + 1, min(ends, default=len(match))

    def _typed_into_the_lesson(self) -> dict[int, str]:
        """Return what was added to the texts around the answer, and give those back to the lesson.

        They are the lesson's text cells since the answer before, and the one that follows.
        """
        near = [self._index + 1] if self._index + 1 < len(self._pairs.own) else []
        for i in range(self._index - 1, -1, -1):
            if utils.is_solution(self._pairs.own[i]):
                break
            near.append(i)
        near = [i for i in near if self._pairs.own[i].cell_type != "code"]
        found = {}
        for j in self._theirs.free():
            owner = self._pairs.owner(j)
            if owner is None or owner not in near:
                continue
            added = added_text(self._pairs.texts[owner], self._theirs.texts[j])
            if added:
                found[j] = added
                self._theirs.match[j] = self._pairs.keys[owner]
        return found


def added_text(original: str, edited: str) -> str:
    """Return what was added to a text: its new lines, of a line that goes on the new part alone."""
    old = original.split("\n")
    added = []
    for line in added_lines(original, edited).split("\n"):
        begun = [start for start in old if start.strip() and line.startswith(start)]
        added.append(line[len(max(begun, key=len)) :].strip() if begun else line)
    return "\n".join(added).strip()


def words_in_code(source: str) -> str:
    """Return Markdown with what a code cell says to people; empty if it is but code."""
    tree = parse(source)
    if tree is None or _SHOWS.search(source):
        fence = "`" * max(3, *(len(run) + 1 for run in re.findall("`+", source)), 3)
        return f"{fence}\n{source}\n{fence}"
    if not all(isinstance(node, ast.Expr) and _is_text(node.value) for node in tree.body):
        return ""
    lines = [line.strip() for line in source.split("\n")]
    return "\n".join(line.lstrip("#").strip() if line.startswith("#") else line for line in lines)


def _is_text(node: ast.expr) -> bool:
    """Return whether an expression is a text, or prints texts."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print":
        return all(_is_text(argument) for argument in node.args)
    return isinstance(node, ast.JoinedStr) or (
        isinstance(node, ast.Constant) and isinstance(node.value, str)
    )


def _with_own_pictures(
    attached: Pictures, text: str, pictures: Pictures, handed_out: Collection[str]
) -> str:
    """Add a cell's attachments to ``pictures``, and return its text with the names they have there.

    Editors call the picture of every cell ``image.png``. One that the text does not show is added
    at its end, unless the lesson handed it out.
    """
    for name, picture in attached.items():
        own = name
        while own in pictures and pictures[own] != picture:
            own = f"again-{own}"
        pictures[own] = picture
        if own != name:
            text = text.replace(f"attachment:{name}", f"attachment:{own}")
        if f"attachment:{own}" not in text and name not in handed_out:
            text = f"{text}\n\n![{own}](attachment:{own})".strip()
    return text
