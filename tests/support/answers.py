"""Finds cells, and makes what students hand in."""

from __future__ import annotations

from nbformat.notebooknode import NotebookNode

from autograder.lesson.model import Notebook, grade_id_of

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
