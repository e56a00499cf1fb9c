"""What CONTRIBUTING.md and docs/trust.md say of the code is so: the drawing, names, limits."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from typing import Any

import pytest
from support.lessons import ROOT
from traitlets.config import Configurable

from autograder.bounded.desk import Desk
from autograder.execution.sandbox import SandboxPolicy
from autograder.plugins.handed_in import MAX_TIMESTAMP
from autograder.plugins.preprocessors import Grade

PACKAGE = ROOT / "autograder"
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
TRUST = (ROOT / "docs" / "trust.md").read_text(encoding="utf-8")
[DRAWING] = re.findall(r"^```mermaid\n(.*?)^```$", CONTRIBUTING, re.MULTILINE | re.DOTALL)
NODES = dict(re.findall(r'^    (\w+)\["\1<br>(.+)"\]$', DRAWING, re.MULTILINE))

Graph = dict[str, set[str]]


def wings() -> list[str]:
    """Return the folders and modules of the package itself."""
    folders = [path.parent.name for path in PACKAGE.glob("*/__init__.py")]
    return sorted(folders + [path.stem for path in PACKAGE.glob("[!_]*.py")])


def imports(wing: str) -> set[str]:
    """Return the other wings that the modules of a wing import."""
    files = [*PACKAGE.glob(f"{wing}.py"), *PACKAGE.glob(f"{wing}/**/*.py")]
    found: set[str] = set()
    for node in (node for file in files for node in ast.walk(ast.parse(file.read_text("utf-8")))):
        names: Iterable[str] = ()
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, "imports name the whole way"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        parts = [name.split(".") for name in names]
        found |= {part[1] for part in parts if part[0] == "autograder" and len(part) > 1}
    return (found & set(wings())) - {wing}


def below(graph: Graph, wing: str) -> set[str]:
    """Return the wings that can be reached from one."""
    reached: set[str] = set()
    waiting = [wing]
    while waiting:
        for other in graph[waiting.pop()] - reached:
            reached.add(other)
            waiting.append(other)
    return reached


def without_what_follows(graph: Graph) -> Graph:
    """Return a graph without the arrows that follow from others of it."""
    return {
        wing: {
            other
            for other in others
            if not any(other in below(graph, between) for between in others - {other})
        }
        for wing, others in graph.items()
    }


# The drawing ------------------------------------------------------------------------------------


def test_the_arrows_are_the_imports():
    graph = {wing: imports(wing) & NODES.keys() for wing in NODES}
    lines = re.findall(r"^    (\w+) --> (\w+)$", DRAWING, re.MULTILINE)
    assert len(DRAWING.strip().split("\n")) == 1 + len(NODES) + 1 + len(lines)
    drawn = {wing: {to for start, to in lines if start == wing} for wing in NODES}
    assert drawn == without_what_follows(graph)
    assert len(lines) == sum(map(len, drawn.values())), "an arrow is drawn twice"


def test_an_arrow_that_follows_from_others_is_left_out():
    graph = {"a": {"b", "c", "d"}, "b": {"c"}, "c": {"d"}, "d": set()}
    assert without_what_follows(graph) == {"a": {"b"}, "b": {"c"}, "c": {"d"}, "d": set()}


def test_every_wing_is_drawn_or_named_below_the_drawing():
    text = CONTRIBUTING.split(DRAWING)[1].split("\n\n")[1]
    named = set(re.findall(r"`(\w+)`", text))
    assert sorted([*NODES, *named]) == wings()


def test_the_drawing_and_the_module_agree_on_the_students_process():
    student = {wing for wing, where in NODES.items() if "STUDENT" in where}
    assert student == {"evidence", "kernel"}
    assert all(where.strip() for where in NODES.values())


# Names and limits -------------------------------------------------------------------------------


@pytest.mark.parametrize("text", [CONTRIBUTING, TRUST], ids=["CONTRIBUTING.md", "trust.md"])
def test_the_files_that_are_named_are_there(text):
    named = set(re.findall(r"`([\w./]+(?:\.py|/))`", text))
    assert named
    made = {"submitted/", "autograded/", "reports/", ".autograder/", "wheats/"}  # not the project's
    for name in sorted(named - made):
        assert (ROOT / name).exists() or (PACKAGE / name).exists(), name


def test_the_command_for_one_test_finds_one():
    file, part = re.findall(r"pytest (tests/\S+) -k (\w+)", CONTRIBUTING)[0]
    names = re.findall(r"^def (test_\w+)", (ROOT / file).read_text("utf-8"), re.MULTILINE)
    assert len([name for name in names if part in name]) == 1


def defaults(kind: type[Configurable]) -> dict[str, Any]:
    """Return the options that a class adds, with their defaults."""
    return {n: trait.default() for n, trait in kind.class_own_traits(config=True).items()}


def test_the_limits_on_the_page_are_those_of_the_code():
    rows = re.findall(r"^\| `(\w+)` \| ([\d.]+)(?: (MiB|GiB))? \|", TRUST, re.MULTILINE)
    unit = {"": 1, "MiB": 2**20, "GiB": 2**30}
    found = {name: float(number) * unit[scale] for name, number, scale in rows}
    known = {**defaults(SandboxPolicy), **defaults(Grade)}
    assert found == {
        name: value
        for name, value in known.items()
        if name not in ("allow_unconfined", "shown_output_bytes")
    }
    desk = defaults(Desk)
    words = " ".join(TRUST.split())
    assert f"{desk['seconds']:g} processor seconds a call" in words
    assert f"{desk['memory_bytes'] // 2**20} MiB (`c.Desk`)" in words
    assert f"at most {MAX_TIMESTAMP} bytes" in words
