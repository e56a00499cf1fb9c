"""Who may import whom: the contracts of pyproject.toml hold, and each of them bites."""

from __future__ import annotations

import ast
import itertools
import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.lessons import ROOT

PACKAGE = ROOT / "autograder"
CONTRACTS = {
    contract["id"]: contract
    for contract in tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"][
        "importlinter"
    ]["contracts"]
}
FLOORS = [floor.split(" | ") for floor in CONTRACTS["layers"]["layers"]]


def wings() -> set[str]:
    """Return the folders and modules of the package itself."""
    folders = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    return folders | {path.stem for path in PACKAGE.glob("[!_]*.py")}


def lint(folder: Path) -> subprocess.CompletedProcess[str]:
    """Check the contracts of the project's folder, or of a copy."""
    search = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    program = shutil.which("lint-imports", path=search)
    assert program, "lint-imports is missing; it comes with the environment that make test makes"
    return subprocess.run(
        [program, "--no-cache", "--no-logo"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder), "COLUMNS": "200"},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the package and of its contracts."""
    folder = tmp_path_factory.mktemp("contracts")
    shutil.copytree(PACKAGE, folder / "autograder", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", folder)
    return folder


def broken(folder: Path, wing: str, line: str) -> str:
    """Return what is said of a copy in which a wing has one import more."""
    file = folder / "autograder" / f"{wing}.py"
    if not file.exists():
        file = folder / "autograder" / wing / "__init__.py"
    before = file.read_text(encoding="utf-8")
    file.write_text(f"{before}\n{line}\n", encoding="utf-8")
    try:
        done = lint(folder)
    finally:
        file.write_text(before, encoding="utf-8")
    assert done.returncode == 1, done.stdout + done.stderr
    return done.stdout


def assert_named(said: str, contract: str) -> None:
    assert f"{CONTRACTS[contract]['name']} BROKEN" in said, said


def test_the_contracts_hold(copy):
    for folder in (ROOT, copy):
        done = lint(folder)
        assert done.returncode == 0, done.stdout + done.stderr
        assert f"{len(CONTRACTS)} kept, 0 broken" in done.stdout


def upward() -> Iterator[tuple[str, str]]:
    """Yield an import from each floor to the one above it, and between neighbours on a floor."""
    for above, floor in itertools.pairwise(FLOORS):
        yield floor[-1], above[0]
    for floor in FLOORS:
        if len(floor) > 1:
            yield floor[0], floor[1]
            yield floor[1], floor[0]


@pytest.mark.parametrize(("wing", "other"), [*upward()])
def test_a_wing_that_imports_one_above_or_beside_it_is_named(copy, wing, other):
    said = broken(copy, wing, f"import autograder.{other}")
    assert_named(said, "layers")
    assert f"autograder.{wing} is not allowed to import autograder.{other}" in said


def test_a_wing_without_a_place_is_named(copy):
    folder = copy / "autograder" / "annex"
    folder.mkdir()
    try:
        (folder / "__init__.py").touch()
        done = lint(copy)
    finally:
        shutil.rmtree(folder)
    assert done.returncode == 1
    assert_named(done.stdout, "layers")
    assert "annex" in done.stdout


def test_every_wing_has_a_place_and_is_kept_from_the_students_process():
    assert {wing for floor in FLOORS for wing in floor} == wings()
    named = set(CONTRACTS["student"]["forbidden_modules"])
    others = wings() - {"evidence", "kernel"}
    assert named == {f"autograder.{wing}" for wing in others} | {"nbgrader", "sqlalchemy"}


@pytest.mark.parametrize("wing", ["evidence", "kernel"])
@pytest.mark.parametrize(
    "line",
    [
        "import nbgrader",
        "from nbgrader import utils",
        "import sqlalchemy",
        "def later():\n    from autograder.errors import CourseError",
    ],
)
def test_an_import_into_the_students_process_is_named(copy, wing, line):
    assert_named(broken(copy, wing, line), "student")


@pytest.mark.parametrize("package", CONTRACTS["verdict"]["forbidden_modules"])
def test_a_kernel_or_nbgrader_in_judging_is_named(copy, package):
    assert_named(broken(copy, "verdict", f"import {package}"), "verdict")


@pytest.mark.parametrize("wing", ["commands", "plugins", "kernel"])
@pytest.mark.parametrize("package", ["examples", "tests"])
def test_an_import_of_what_is_not_installed_is_named(copy, wing, package):
    assert_named(broken(copy, wing, f"import {package}"), "installed")


def test_each_contract_is_broken_by_a_test_here():
    assert set(CONTRACTS) == {"layers", "student", "verdict", "installed"}


# Bytecode ---------------------------------------------------------------------------------------


def reads_bytecode(source: str) -> bool:
    """Return whether Python source may use more of ``marshal`` than ``dumps``, by whatever name."""
    tree = ast.parse(source)
    modules = {
        alias.asname or alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.Import)
        for alias in node.names
        if alias.name == "marshal"
    }
    harmless = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and node.attr == "dumps"
    }

    def reads(node: ast.AST) -> bool:
        if isinstance(node, ast.ImportFrom):
            return node.module == "marshal" and any(a.name != "dumps" for a in node.names)
        if isinstance(node, ast.Name):
            return node.id in modules and id(node) not in harmless
        return isinstance(node, ast.Constant) and node.value == "marshal"

    return any(map(reads, ast.walk(tree)))


@pytest.mark.parametrize(
    "source",
    [
        "import marshal\nmarshal.loads(b'')",
        "import marshal as m\nread = m.loads",
        "import marshal\nmarshal.load(stream)",
        "import marshal\nread = getattr(marshal, 'loads')",
        "from marshal import loads",
        "from marshal import loads as read",
        "from marshal import *",
        "__import__('marshal').loads(b'')",
    ],
)
def test_reading_bytecode_is_recognized(source):
    assert reads_bytecode(source)
    assert not reads_bytecode("import marshal\nfrom marshal import dumps\nmarshal.dumps(1)")


def test_bytecode_is_read_in_the_students_process_only():
    found = {
        path.relative_to(PACKAGE).parts[0]
        for path in PACKAGE.rglob("*.py")
        if reads_bytecode(path.read_text(encoding="utf-8"))
    }
    assert found == {"kernel"}
