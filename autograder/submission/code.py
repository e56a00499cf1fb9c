"""Questions about the source of cells, which need not be Python (desk process)."""

from __future__ import annotations

import ast
import functools
import importlib.util
import re
from collections.abc import Collection

from rapidfuzz.distance import LCSseq

from autograder.lesson.source import bound_names, parse
from autograder.submission.pairing import normal


@functools.lru_cache(maxsize=10_000)
def parses(source: str) -> bool:
    """Return whether a source is Python, at least to IPython."""
    return parse(source) is not None


@functools.lru_cache(maxsize=10_000)
def defines(source: str) -> frozenset[str]:
    """Return the names that a cell defines; the same cell is asked about for every question."""
    return frozenset(bound_names(source))


_HIDDEN_WAYS = {
    "in a way that cannot be read from it": re.compile(
        r"\b(?:exec|eval|globals|locals|setattr|run_cell|run_line_magic|ex|push)\s*\(|"
        r"\b(?:__dict__|user_ns)\b|^[ \t]*global\b",
        re.MULTILINE,
    ),
    "in a cell magic": re.compile(r"\A\s*%%(?!(?:bash|sh|html|latex|svg|javascript|js)\b)"),
}
"""Ways to define a name that the source must mention."""

_FROM_ELSEWHERE = re.compile(r"^[ \t]*%(?:run|load|macro|rerun|recall)\b", re.MULTILINE)


def may_define(source: str, wanted: Collection[str]) -> tuple[str, str]:
    """Return which of the wanted names a cell may define although it does not show, and how.

    Both are empty if there is none.
    """
    for name in sorted(wanted):
        if re.search(rf"\b{re.escape(name)}\b", source):
            for how, way in _HIDDEN_WAYS.items():
                if way.search(source):
                    return name, how
    if not wanted:
        return "", ""
    if _FROM_ELSEWHERE.search(source):
        return min(wanted), "from a file"
    tree = parse(source)
    for node in ast.walk(tree) if tree else ():
        if isinstance(node, ast.ImportFrom) and any(alias.name == "*" for alias in node.names):
            module = (node.module or "").partition(".")[0]
            if not module or not _is_installed(module):
                return min(wanted), f"by from {node.module or '.'} import *"
    return "", ""


def _is_installed(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except (ImportError, ValueError):
        return False


def starts_inside(source: str) -> bool:
    """Whether the first line of code is indented, as after a split inside a function."""
    for line in source.split("\n"):
        if line.strip():
            return line[0] in " \t"
    return False


def find(lines: list[str], part: list[str]) -> int | None:
    """Return where some lines stand among others, one after the other."""
    for at in range(len(lines) - len(part) + 1):
        if lines[at] == part[0] and lines[at : at + len(part)] == part:
            return at
    return None


def added_lines(original: str, edited: str) -> str:
    """Return the lines of an edited source that are not in the original."""
    lines = normal(edited).split("\n")
    added: list[str] = []
    for step in LCSseq.opcodes(normal(original).split("\n"), lines):
        if step.tag == "insert":
            added += lines[step.dest_start : step.dest_end]
    return "\n".join(added)


def adds_only(added: str, original: str) -> bool:
    """Whether added code defines new names and replaces none of the original's."""
    kinds = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef, ast.Assign)
    tree = parse(added)
    if tree is None or not all(isinstance(node, kinds) for node in tree.body):
        return False
    new, old = (bound_names(source, imported=False) for source in (added, original))
    return not new & old


def forget() -> None:
    """Forget the texts of one submission before the next."""
    parses.cache_clear()
    defines.cache_clear()
