"""Read and transform the hidden block of a check cell.

A check cell holds, between the nbgrader markers, a block that students never see. Three things
are done with it: it is taken out of what a student reads, it is turned into the code that a
submission's kernel runs (without the known answers, in a scope of its own), and
it is executed in the grading process to learn what its author asked for.
"""

from __future__ import annotations

import ast
import base64
import builtins
import functools
import marshal
import symtable
from types import MappingProxyType
from typing import Any

from autograder.errors import CourseError
from autograder.kernel.probe import Probe, capture

BEGIN, END = "BEGIN HIDDEN TESTS", "END HIDDEN TESTS"
"""Marks of the hidden block, as nbgrader's `ClearHiddenTests` expects them."""

SCHEME_BEGIN, SCHEME_END = "BEGIN MARK SCHEME", "END MARK SCHEME"
"""Marks of a marking scheme, as nbgrader's `ClearMarkScheme` expects them."""

KNOWN_BEGIN, KNOWN_END = "BEGIN KNOWN ANSWERS", "END KNOWN ANSWERS"
"""Marks, inside a hidden block, of what no kernel of a submission may see: right and nearly right
answers, with all that only they use."""


def split(source: str, begin: str = BEGIN, end: str = END) -> tuple[str, str]:
    """Return the lines between the marks and all other lines of a cell's source."""
    inside: list[str] = []
    outside: list[str] = []
    hidden = False
    for line in source.split("\n"):
        if begin in line:
            hidden = True
        elif end in line:
            hidden = False
        else:
            (inside if hidden else outside).append(line)
    return "\n".join(inside), "\n".join(outside)


def visible(source: str) -> str:
    """Return a cell's source without hidden tests and marking schemes."""
    return split(split(source)[1], SCHEME_BEGIN, SCHEME_END)[1]


def secret_lines(source: str) -> list[str]:
    """Return the non-blank lines of a cell that students must not see, stripped."""
    lines = split(source)[0].split("\n") + split(source, SCHEME_BEGIN, SCHEME_END)[0].split("\n")
    return [line.strip() for line in lines if line.strip()]


def _calls(tree: ast.AST, *functions: str) -> dict[str, list[ast.Call]]:
    """Return the calls of functions by their names."""
    found: dict[str, list[ast.Call]] = {name: [] for name in functions}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            found.get(node.func.id, []).append(node)
    return found


def count_probes(block: str) -> int:
    """Return how many times a hidden block calls ``probe``."""
    return len(_calls(ast.parse(block), "probe")["probe"])


def names(source: str) -> tuple[set[str], set[str]]:
    """Return the module-level names that Python source reads and those that it binds.

    Names that only a function or comprehension uses as its own are left out.
    """
    read: set[str] = set()
    bound: set[str] = set()
    top = symtable.symtable(source, "<cell>", "exec")
    tables = [top]
    while tables:
        table = tables.pop()
        tables += table.get_children()
        for symbol in table.get_symbols():
            if table is not top and not symbol.is_global():
                continue
            if symbol.is_referenced():
                read.add(symbol.get_name())
            if symbol.is_assigned() or symbol.is_imported() or symbol.is_namespace():
                bound.add(symbol.get_name())
    return read, bound


@functools.lru_cache(maxsize=512)
def probed_names(block: str) -> frozenset[str]:
    """Return the names from the student's notebook that a hidden block probes."""
    found: set[str] = set()
    for call in _calls(ast.parse(block), "probe")["probe"]:
        answers = [*call.args[:1], *(k.value for k in call.keywords if k.arg == "value")]
        for answer in answers:
            found |= {node.id for node in ast.walk(answer) if isinstance(node, ast.Name)}
    return frozenset(found - names(block)[1])


def borrowed_names(block: str) -> set[str]:
    """Return names that a hidden block takes from the student's notebook besides the probed ones.

    There should be none: a student may have rebound any of them.
    """
    read, bound = names(block)
    return read - bound - set(dir(builtins)) - probed_names(block)


def graded_part(source: str) -> str:
    """Return what of a check cell's hidden block a submission's kernel runs."""
    return split(split(source)[0], KNOWN_BEGIN, KNOWN_END)[1]


@functools.lru_cache(maxsize=512)
def grading_source(source: str, salt: str = "") -> str:
    """Return the code that a submission's kernel runs in place of a check cell.

    The graded part of the hidden block alone, in a function's scope: it leaves no names behind, and
    sees the built-ins as they were. What is asked for is left out of it: labels, exceptions, words
    of messages, penalties, tolerances. So are the visible checks, since they earn no points and
    the probe has recorded all it needs. The block goes as bytecode, so that its text is nowhere in
    the kernel, to be found in a history or a traceback.

    Args:
        source: the check cell as its author wrote it.
        salt: what the inputs of its cases depend on, besides their seeds.
    """
    block = ast.unparse(_WithoutExpectations().visit(ast.parse(graded_part(source))))
    read, bound = names(block)
    body, given = [], (read - bound) & set(dir(builtins))
    for node in ast.parse(block).body:
        if isinstance(node, ast.ImportFrom) and node.module == "autograder.probe":
            given |= {alias.name for alias in node.names} & read
        else:
            body.append(node)
    scope = ast.parse(f"def _autograder_check({', '.join(sorted(given))}):\n    pass").body[0]
    assert isinstance(scope, ast.FunctionDef)
    scope.body = body
    module = ast.Module(body=[scope], type_ignores=[])
    code = compile(ast.fix_missing_locations(module), "<check>", "exec").co_consts[0]
    blob = base64.b64encode(marshal.dumps(code)).decode("ascii")
    call = f'_autograder.run_check("{blob}", {salt!r})'
    return f"import autograder.kernel.probe as _autograder\n{call}"


class _WithoutExpectations(ast.NodeTransformer):
    """Takes out of the calls of ``case`` and ``probe`` what only the judge has to know."""

    LEFT_OUT = MappingProxyType(
        {
            "case": frozenset(("penalty", "raises", "mentions", "fresh")),
            "probe": frozenset(("rtol", "atol")),
        }
    )

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if name in self.LEFT_OUT:
            node.keywords = [k for k in node.keywords if k.arg not in self.LEFT_OUT[name]]
        if name == "case" and node.args and not isinstance(node.args[0], ast.Starred):
            node.args[0] = ast.Constant("")
        return node


def misplaced(source: str) -> str:
    """Return what of a hidden block stands on the wrong side of its marks; empty if nothing.

    What only the known answers use must not reach a student's kernel, and what does reach it must
    not need them.
    """
    block = split(source)[0]
    if block.count(KNOWN_BEGIN) != block.count(KNOWN_END):
        return f"has ### {KNOWN_BEGIN} without ### {KNOWN_END}"
    tree = ast.parse(graded_part(source))
    for node in ast.walk(tree):
        imported = node.names if isinstance(node, ast.Import | ast.ImportFrom) else []
        if isinstance(node, ast.Import) and any(a.name.startswith("autograder") for a in imported):
            return "must import with: from autograder.probe import case, probe"
        if getattr(node, "module", "") == "autograder.probe" and any(a.asname for a in imported):
            return "imports from autograder.probe under another name"
    read = names(graded_part(source))[0]
    if "known_answers" in read:
        return f"calls known_answers outside ### {KNOWN_BEGIN} and ### {KNOWN_END}"
    for call in _calls(tree, "case")["case"]:
        if not call.args or not isinstance(call.args[0], ast.Constant | ast.JoinedStr):
            return 'has a case whose label is not a text in its place, case("...", ...)'
    unused = {
        node.name
        for node in tree.body
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name not in read
    }
    if unused:
        return (
            f"defines {', '.join(sorted(unused))}, which no case uses; what the known answers "
            f"alone use stands after ### {KNOWN_BEGIN}"
        )
    return ""


def load_probes(block: str, where: str, salt: str = "") -> list[Probe]:
    """Execute a lesson's hidden block in this process and return the probes it makes.

    The block is its author's code, which is trusted. The student's names that it probes are bound
    to a placeholder and never called.

    Args:
        block: the hidden block.
        where: which one it is, for messages.
        salt: what the inputs of its cases depend on, besides their seeds.

    Raises:
        CourseError: the block fails, or makes no probe; the message names ``where``.
    """
    namespace: dict[str, Any] = dict.fromkeys(probed_names(block), "the student's answer")
    with capture(salt) as probes:
        try:
            exec(compile(block, f"<hidden block of {where}>", "exec"), namespace)
        except Exception as error:
            raise CourseError(
                f"The hidden block of {where} fails with {type(error).__name__}: {error}. "
                "It may use nothing but what it imports or defines itself and the probed answer."
            ) from error
    if not probes:
        raise CourseError(f"The hidden block of {where} must call probe(...), and it does not.")
    return probes
