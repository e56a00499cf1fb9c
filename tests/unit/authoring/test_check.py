"""The author's gate lets a good lesson pass and names what is weak in another."""

from __future__ import annotations

import ast
import shutil

import nbformat
import pytest
from click.testing import CliRunner
from support.answers import cell_of
from support.lessons import DOUBLE_CHECK, ROOT, first_notebook, second_notebook, write_course

from autograder.commands.cli import main
from autograder.lesson import hidden


def run(root, *command):
    return CliRunner().invoke(main, ["--course", str(root), *command])


def weakened(tmp_path, *replacements):
    first = first_notebook()
    source = DOUBLE_CHECK.rstrip("\n")
    for old, new in replacements:
        assert old in source
        source = source.replace(old, new)
    cell_of(first, "double_check").source = source
    return write_course(tmp_path, {"1_double": first, "2_count": second_notebook()})


def test_a_good_lesson_passes(tmp_path):
    done = run(weakened(tmp_path), "check", "tiny", "--verbose")
    assert done.exit_code == 0, done.output
    assert "by 'a table of numbers': squares the numbers" in done.output


CASES = [
    (
        'case("a row of numbers", _rng.standard_normal(5)),',
        'case("a row of numbers", np.ones(5)),',
    ),
    ("_rng.standard_normal((2, 3)), fresh=True", "np.zeros((2, 3))"),
]


@pytest.mark.parametrize(
    ("replacements", "problem"),
    [
        ([*CASES[:1], (CASES[1][0], "np.ones((2, 3))")], None),
        ([("numbers**2", "numbers * 2.0")], "the checks accept: squares the numbers"),
        ([("numbers + numbers", "numbers * 3")], "the alternative 'a sum' fails"),
        ([("penalty=1", "penalty=3")], "its edge cases take 3 points, the question has only 3"),
        (
            [('case("no numbers at all", np.zeros(0), penalty=1),', "")],
            "the checks accept: gives nothing",
        ),
    ],
)
def test_a_weak_or_unfair_check_is_named(tmp_path, replacements, problem):
    done = run(weakened(tmp_path, *replacements), "check", "tiny")
    if problem is None:
        assert done.exit_code == 0, done.output
        return
    assert done.exit_code == 1
    assert f"Weak check: 1_double, double_check: {problem}" in done.output


def without_case(source: str, label: str) -> str:
    """Return a check cell without the case of that label."""
    block, shown = hidden.split(source)
    tree = ast.parse(block)
    calls = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "probe"
    ]
    [case] = [arg for arg in calls[0].args if label in ast.unparse(arg)]
    lines = block.split("\n")
    del lines[case.lineno - 1 : case.end_lineno]
    return "\n".join([f"### {hidden.BEGIN}", *lines, f"### {hidden.END}", shown])


def test_a_probe_of_lesson_4_with_a_case_removed_does_not_pass(tmp_path):
    """A table that is used up to its last row is the only case that shows one mistake."""
    name = "lesson4_learned_positions"
    source = tmp_path / "lessons" / name
    source.mkdir(parents=True)
    shutil.copy(ROOT / "nbgrader_config.py", tmp_path)
    path = ROOT / "lessons" / name / "2_forward_broadcast.ipynb"
    node = nbformat.read(path, as_version=4)
    cell = cell_of(node, "add_positions_check")
    cell.source = without_case(cell.source, "T equals block_size")
    nbformat.write(node, source / path.name)
    done = run(tmp_path, "check")
    assert done.exit_code == 1, done.output
    assert (
        "Weak check: 2_forward_broadcast, add_positions_check: the checks accept: "
        "never uses the last row of P." in done.output
    )


@pytest.mark.parametrize("salt", ["", "spring-26"])
def test_lesson_4_passes(tmp_path, salt):
    shutil.copytree(ROOT / "lessons", tmp_path / "lessons")
    config = (ROOT / "nbgrader_config.py").read_text()
    (tmp_path / "nbgrader_config.py").write_text(f"{config}\nc.HiddenCases.salt = {salt!r}\n")
    done = run(tmp_path, "check")
    assert done.exit_code == 0, done.output
