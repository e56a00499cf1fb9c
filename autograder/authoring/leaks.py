"""Find what a release holds of its lesson's solutions: in text, outputs, attachments, metadata."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import nbformat
from nbconvert.exporters.exporter import ResourcesDict
from nbformat.notebooknode import NotebookNode
from nbgrader.preprocessors import NbGraderPreprocessor

from autograder.errors import CourseError
from autograder.lesson import hidden
from autograder.lesson.model import Lesson, Notebook

SOLUTION_BEGIN, SOLUTION_END = "BEGIN SOLUTION", "END SOLUTION"
"""Marks of a solution, as nbgrader's `ClearSolutions` expects them."""

SHORT = 8
"""Lines with fewer characters, such as a closing bracket, give nothing away."""

MOST_BYTES = 20 * 2**20
"""Files larger than this are data, and are not searched."""

_ATTACHMENT = re.compile(r"attachment:([^)\s\"'>]+)")


def referred(source: str) -> set[str]:
    """Return the names of the attachments that a text shows."""
    names = _ATTACHMENT.findall(source)
    return {*names, *map(unquote, names)}


def drop_attachments(cell: NotebookNode) -> None:
    """Take the attachments out of a cell that its text does not show, or not any more."""
    kept = {k: v for k, v in cell.get("attachments", {}).items() if k in referred(cell.source)}
    if kept:
        cell.attachments = kept
    else:
        cell.pop("attachments", None)


class DropAttachments(NbGraderPreprocessor):
    """Take pictures out of a release whose text has gone with the solution or the scheme."""

    def preprocess(
        self, nb: NotebookNode, resources: ResourcesDict
    ) -> tuple[NotebookNode, ResourcesDict]:
        """Return the notebook with the pictures that its text shows."""
        for cell in nb.cells:
            drop_attachments(cell)
        return nb, resources


def find(lesson: Lesson, folder: Path) -> list[str]:
    """Return a sentence for each thing of a solution in the release in ``folder``."""
    found = []
    for notebook in lesson.notebooks:
        path = folder / f"{notebook.name}.ipynb"
        try:
            node = nbformat.read(path, as_version=4)
        except Exception as error:
            raise CourseError(f"The release of {notebook.name} cannot be read: {error}") from error
        found += [f"{notebook.name}, {text}" for text in _in_notebook(notebook, node)]
    names = {f"{notebook.name}.ipynb" for notebook in lesson.notebooks}
    for file in sorted(path for path in folder.rglob("*") if path.is_file()):
        if str(file.relative_to(folder)) not in names:
            found += _in_file(lesson, file, str(file.relative_to(folder)))
    return found


def _in_notebook(notebook: Notebook, release: NotebookNode) -> Iterator[str]:
    secret = {line for block in _blocks(notebook).values() for line in block}
    for line in _shown_lines(notebook):
        secret.discard(line)
    blank = {cell.id: cell for cell in notebook.blank.cells}
    for cell in release.cells:
        where = cell.get("metadata", {}).get("nbgrader", {}).get("grade_id") or cell.id
        if cell.get("outputs"):
            yield f"{where}: the release holds its outputs; clear them in lessons/"
        shown = referred(cell.source)
        for name in sorted(cell.get("attachments", {})):
            if name not in shown:
                yield f"{where}: the release holds the picture {name}, which its text does not show"
        known = blank.get(cell.id)
        # A cell that the lesson has not comes from a header or footer, which is as visible.
        if known is not None and (_lines(cell.source) - _lines(known.source)) & secret:
            yield f"{where}: the release holds its solution or its hidden tests in the text"
        if _holds(cell.metadata, secret):
            yield f"{where}: the release holds a line of a solution in the cell's metadata"
    if _holds(release.metadata, secret):
        yield "the release holds a line of a solution in the notebook's metadata"


def _in_file(lesson: Lesson, file: Path, name: str) -> Iterator[str]:
    if file.stat().st_size > MOST_BYTES:
        return
    text = file.read_bytes().decode("utf-8", errors="replace").replace('\\"', '"')
    for notebook in lesson.notebooks:
        shown = _shown_lines(notebook)
        for what, block in _blocks(notebook).items():
            rest = block - shown
            if rest and all(line in text for line in rest):
                yield f"{name}: the release holds the solution or the hidden tests of {what}"


def _blocks(notebook: Notebook) -> dict[str, set[str]]:
    """Return the telling lines of each cell that students must not see, by its identifier."""
    found = {}
    for cell in notebook.node.cells:
        lines = _lines(hidden.split(cell.source, SOLUTION_BEGIN, SOLUTION_END)[0])
        lines |= set(hidden.secret_lines(cell.source))
        lines = {line for line in lines if len(line) >= SHORT}
        if lines:
            found[cell.metadata.get("nbgrader", {}).get("grade_id") or cell.id] = lines
    return found


def _shown_lines(notebook: Notebook) -> set[str]:
    return {line for cell in notebook.blank.cells for line in _lines(cell.source)}


def _lines(text: str) -> set[str]:
    return {line.strip() for line in text.split("\n") if line.strip()}


def _holds(metadata: Any, secret: set[str]) -> bool:
    text = json.dumps(metadata, ensure_ascii=False, default=str).replace('\\"', '"')
    return any(line in text for line in secret)
