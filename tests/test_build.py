"""What is committed in release/ and solutions/ is what lessons/ builds."""

from __future__ import annotations

import re
from pathlib import Path

import nbformat
import pytest
from click.testing import CliRunner
from conftest import ROOT, cell_of, write_tiny_course

from autograder.build import build, stale
from autograder.cli import main
from autograder.course import load_course

NAMES = [path.name for path in sorted((ROOT / "lessons").iterdir()) if any(path.glob("*.ipynb"))]
NUMBER = re.compile(r"[-+]?\d+\.\d+(?:e[-+]?\d+)?")


def files(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def test_building_twice_changes_nothing(tmp_path):
    course = load_course(write_tiny_course(tmp_path))
    folders = build(course, "tiny")
    first = [files(folder) for folder in folders]
    build(course, "tiny")
    assert [files(folder) for folder in folders] == first
    assert stale(course, "tiny") == []


def test_a_changed_lesson_makes_its_release_stale(tmp_path):
    course = load_course(write_tiny_course(tmp_path))
    build(course, "tiny")
    path = course.source / "tiny" / "1_double.ipynb"
    node = nbformat.read(path, as_version=4)
    cell_of(node, "task").source += " Again."
    nbformat.write(node, path)
    assert stale(load_course(tmp_path), "tiny") == [
        "release/tiny/1_double.ipynb",
        "solutions/tiny/1_double.ipynb",
    ]


def test_nothing_is_built_from_a_lesson_with_a_weak_check(tmp_path):
    root = write_tiny_course(tmp_path)
    path = root / "lessons" / "tiny" / "1_double.ipynb"
    node = nbformat.read(path, as_version=4)
    cell = cell_of(node, "double_check")
    cell.source = cell.source.replace("numbers**2", "numbers * 2")
    nbformat.write(node, path)
    done = CliRunner().invoke(main, ["--course", str(root), "build"])
    assert done.exit_code == 1
    assert "Nothing was built" in done.output
    assert not (root / "release").exists()


@pytest.fixture(scope="module")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The course built anew from lessons/ in a folder of its own."""
    from autograder.build import copy_course

    course = load_course(ROOT)
    root = tmp_path_factory.mktemp("fresh") / "course"
    for name in NAMES:
        build(copy_course(course, name, root), name)
    return root


@pytest.mark.parametrize("name", NAMES)
def test_the_committed_release_is_current_byte_for_byte(fresh, name):
    assert files(ROOT / "release" / name) == files(fresh / "release" / name)


def comparable(path: Path) -> list[tuple[str, list[str]]]:
    """Return sources and text outputs of a solution, numbers rounded to 3 digits.

    Figures and the last digits of numbers depend on the processor.
    """
    cells = []
    for cell in nbformat.read(path, as_version=4).cells:
        texts = [
            NUMBER.sub(lambda found: f"{float(found[0]):.3g}", output.get("text", ""))
            for output in cell.get("outputs", [])
        ]
        cells.append((cell.source, texts))
    return cells


@pytest.mark.parametrize("name", NAMES)
def test_the_committed_solutions_are_current(fresh, name):
    committed, built = ROOT / "solutions" / name, fresh / "solutions" / name
    assert sorted(files(committed)) == sorted(files(built))
    for path in sorted(committed.glob("*.ipynb")):
        assert comparable(path) == comparable(built / path.name), path.name
