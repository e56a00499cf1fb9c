"""Questions about the source of cells, which need not be Python (desk process)."""

from __future__ import annotations

import ast
import functools

from rapidfuzz.distance import LCSseq

from autograder.lesson.model import defined_names
from autograder.submission.pairing import normal


@functools.lru_cache(maxsize=10_000)
def parses(source: str) -> bool:
    """Return whether a source is Python."""
    try:
        ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


@functools.lru_cache(maxsize=10_000)
def defines(source: str) -> frozenset[str]:
    """Return the names that a cell defines; the same cell is asked about for every question."""
    return frozenset(defined_names(source))


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
    if not parses(added):
        return False
    kinds = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef, ast.Assign)
    tree = ast.parse(added)
    if not all(isinstance(node, kinds) for node in tree.body):
        return False
    return not defines(added) & defines(original)


def forget() -> None:
    """Forget the texts of one submission before the next."""
    parses.cache_clear()
    defines.cache_clear()
