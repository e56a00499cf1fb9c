"""Read and transform the hidden block of a check cell.

A check cell holds, between the nbgrader markers, a block that students never see. Three things
are done with it: it is taken out of what a student reads, it is turned into the code that a
submission's kernel runs (without the known mistakes and alternatives, in a scope of its own), and
it is executed in the grading process to learn what its author asked for.
"""

from __future__ import annotations

import ast
import base64
import builtins
import functools
import marshal
import symtable
from typing import Any

from autograder.errors import CourseError
from autograder.kernel.probe import Probe, capture

BEGIN, END = "BEGIN HIDDEN TESTS", "END HIDDEN TESTS"
"""Marks of the hidden block, as nbgrader's `ClearHiddenTests` expects them."""

SCHEME_BEGIN, SCHEME_END = "BEGIN MARK SCHEME", "END MARK SCHEME"
"""Marks of a marking scheme, as nbgrader's `ClearMarkScheme` expects them."""

_AUTHOR_ONLY = {
    "probe": {"mistakes", "edge_mistakes", "alternatives"},
    "case": {"summary"},
}
"""Arguments that a submission's kernel must not see: they hold right or nearly right answers."""


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


@functools.lru_cache(maxsize=512)
def grading_source(source: str) -> str:
    """Return the code that a submission's kernel runs in place of a check cell.

    The hidden block alone, in a function's scope: it leaves no names behind, sees the built-ins as
    they were, and lacks whatever could help an answer (`_AUTHOR_ONLY`). The visible checks are left
    out, since they earn no points and the probe has recorded all it needs. The block goes as
    bytecode, so that its text is nowhere in the kernel, to be found in a history or a traceback.

    Raises:
        CourseError: the block does not say clearly what must be taken out, see `unclear_use`.
    """
    block = split(source)[0]
    unclear = unclear_use(block)
    if unclear:
        raise CourseError(f"A hidden block {unclear}.")
    tree = ast.parse(block)
    calls = _calls(tree, *_AUTHOR_ONLY)
    for function, keywords in _AUTHOR_ONLY.items():
        for call in calls[function]:
            call.keywords = [k for k in call.keywords if k.arg not in keywords]
    for call in calls["probe"][:-1]:
        call.keywords.append(ast.keyword("last", ast.Constant(False)))
    read, bound = names(ast.unparse(tree))
    body = _without_unused(tree.body)
    given = {
        alias.name
        for node in body
        if isinstance(node, ast.ImportFrom) and node.module == "autograder.probe"
        for alias in node.names
    } | ((read - bound) & set(dir(builtins)))
    body = [
        node
        for node in body
        if not (isinstance(node, ast.ImportFrom) and node.module == "autograder.probe")
    ]
    scope = ast.parse(f"def _autograder_check({', '.join(sorted(given))}):\n    pass").body[0]
    assert isinstance(scope, ast.FunctionDef)
    scope.body = body
    module = ast.Module(body=[scope], type_ignores=[])
    code = compile(ast.fix_missing_locations(module), "<check>", "exec").co_consts[0]
    blob = base64.b64encode(marshal.dumps(code)).decode("ascii")
    return f'import autograder.kernel.probe as _autograder\n_autograder.run_check("{blob}")'


def _defines_only(node: ast.stmt, classes: set[str]) -> bool:
    """Whether a statement only binds functions, classes, their instances or constants."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return True
    if not isinstance(node, ast.Assign):
        return False
    if isinstance(node.value, ast.Call) and ast.unparse(node.value.func) in classes:
        return True
    values = node.value.values if isinstance(node.value, ast.Dict) else [node.value]
    return _is_constant(node.value) or all(
        isinstance(value, ast.Lambda | ast.Name) for value in values
    )


def _is_constant(node: ast.expr) -> bool:
    try:
        ast.literal_eval(node)
    except ValueError:
        return False
    return True


def _without_unused(body: list[ast.stmt]) -> list[ast.stmt]:
    """Return the statements without the definitions that only the removed arguments used."""
    classes = {node.name for node in body if isinstance(node, ast.ClassDef)}
    kept = [node for node in body if not _defines_only(node, classes)]
    left = [node for node in body if _defines_only(node, classes)]
    while True:
        read = set().union(*(_names_of(node)[0] for node in kept))
        used = [node for node in left if _names_given(node) & read]
        if not used:
            return [node for node in body if node in kept]
        kept += used
        left = [node for node in left if node not in used]


def _names_of(node: ast.stmt) -> tuple[set[str], set[str]]:
    return names(ast.unparse(ast.Module(body=[node], type_ignores=[])))


def _names_given(node: ast.stmt) -> set[str]:
    """Return the names that a statement binds, or whose values it changes: ``a[0] = 1``."""
    targets = node.targets if isinstance(node, ast.Assign) else []
    names_of_targets = {
        part.id for target in targets for part in ast.walk(target) if isinstance(part, ast.Name)
    }
    return _names_of(node)[1] | names_of_targets


@functools.lru_cache(maxsize=512)
def unclear_use(block: str) -> str:
    """Return what hides from `grading_source` which arguments it must take out; empty if nothing.

    ``probe`` and ``case`` must be called by these names, with their arguments spelled out.
    """
    tree = ast.parse(block)
    calls = _calls(tree, *_AUTHOR_ONLY)
    called = {id(call.func) for found in calls.values() for call in found}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module == "autograder.probe":
            if any(alias.asname and alias.name in _AUTHOR_ONLY for alias in node.names):
                return "imports probe or case under another name"
        elif isinstance(node, ast.Import):
            if any(alias.name.startswith("autograder") for alias in node.names):
                return "must import with: from autograder.probe import case, probe"
        elif isinstance(node, ast.Name) and node.id in _AUTHOR_ONLY and id(node) not in called:
            return f"uses {node.id} in another way than calling it"
    for name, found in calls.items():
        for call in found:
            if any(keyword.arg is None for keyword in call.keywords):
                return f"calls {name} with ** arguments; spell them out"
    return ""


def load_probes(block: str, where: str) -> list[Probe]:
    """Execute a lesson's hidden block in this process and return the probes it makes.

    The block is its author's code, which is trusted. The student's names that it probes are bound
    to a placeholder and never called.

    Raises:
        CourseError: the block fails, or makes no probe; the message names ``where``.
    """
    namespace: dict[str, Any] = dict.fromkeys(probed_names(block), "the student's answer")
    with capture() as probes:
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
