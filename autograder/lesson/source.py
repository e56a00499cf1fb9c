"""Read what is in a cell of code: Python, or what IPython makes Python of (all processes of ours).

Nothing is run. A cell of a notebook need not be Python: it may hold magics (``%time``), commands
(``!pip``), questions (``f?``) and prompts that were pasted. So IPython's own transformer is asked
where Python's parser gives up.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable

BODY_MAGICS = ("time", "capture", "prun", "debug")
"""Cell magics that run the rest of their cell as Python, and keep the names that it binds."""

_BODY_MAGIC = re.compile(rf"\s*%%({'|'.join(BODY_MAGICS)})\b[^\n]*(\n|$)")

_BINDS = re.compile(r"^(?:(?:async[ \t]+)?def|class)[ \t]+(\w+)|^(\w+)[ \t]*=(?!=)", re.MULTILINE)
"""A line at the top level that binds a name, in code that cannot be parsed."""

_Errors = (SyntaxError, ValueError, RecursionError, MemoryError)


def parse(source: str) -> ast.Module | None:
    """Return the syntax tree of a cell; None if it is not Python, not even to IPython."""
    tree = _tree(source)
    # What is indented is the middle of something, which the transformer would move to the left.
    if tree is not None or source.lstrip("\n")[:1] in (" ", "\t"):
        return tree
    while magic := _BODY_MAGIC.match(source):
        source = source[magic.end() :]
    from IPython.core.inputtransformer2 import TransformerManager  # slow, and seldom needed

    try:
        transform: Callable[[str], str] = TransformerManager().transform_cell  # type: ignore[no-untyped-call]
        return _tree(transform(source))
    except (*_Errors, IndexError, TypeError):  # it was made for sources that people type
        return None


def _tree(source: str) -> ast.Module | None:
    try:
        return ast.parse(source)
    except _Errors:
        return None


def bound_names(source: str, *, imported: bool = True) -> set[str]:
    """Return the names that a cell binds at its top level, in blocks like ``try`` as well.

    Args:
        source: the cell's; of what cannot be parsed, the names that its lines seem to bind.
        imported: whether names that are imported count.
    """
    tree = parse(source)
    if tree is None:
        return {name for found in _BINDS.findall(source) for name in found if name}
    names = _Names(imported=imported)
    try:
        names.visit(tree)
    except RecursionError:
        return set()
    return names.found


class _Names(ast.NodeVisitor):
    """Collects the names that are bound outside functions and classes."""

    def __init__(self, *, imported: bool) -> None:
        self.found: set[str] = set()
        self._imported = imported

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self.found.add(node.name)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self.visit_FunctionDef(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self.found.add(node.name)

    def visit_Lambda(self, node: ast.Lambda) -> None:
        """Look no further: what is bound in there stays in there."""

    def visit_comprehension(self, node: ast.comprehension) -> None:
        """Look at the conditions alone: the names of the loop stay in it."""
        for condition in node.ifs:
            self.visit(condition)

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Store):
            self.found.add(node.id)

    def visit_MatchAs(self, node: ast.MatchAs) -> None:
        if node.name:
            self.found.add(node.name)
        self.generic_visit(node)

    def visit_MatchStar(self, node: ast.MatchStar) -> None:
        if node.name:
            self.found.add(node.name)

    def visit_Import(self, node: ast.Import | ast.ImportFrom) -> None:
        if self._imported:
            names = (alias.asname or alias.name.split(".")[0] for alias in node.names)
            self.found.update(name for name in names if name != "*")

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        self.visit_Import(node)
