"""The ``autograder`` command: its help, and errors that people can mend."""

from __future__ import annotations

import subprocess
import sys

import nbformat
import pytest
from click.testing import CliRunner
from support.lessons import first_notebook, write_course, write_tiny_course

import autograder
from autograder.commands.cli import main

COMMANDS = ["build", "check", "extend", "grade", "lab", "new", "report"]
ARGUMENTS = {
    "extend": ["tiny", "s01", "2d"],
    "grade": ["tiny"],
    "report": ["tiny"],
    "new": ["tiny", "1_first", "question"],
}
"""What a command cannot do without."""


@pytest.fixture
def call(monkeypatch, tmp_path):
    """Runs the command in an empty folder, or in the given one."""

    def call(*arguments, folder=tmp_path):
        monkeypatch.chdir(folder)
        return CliRunner().invoke(main, list(arguments))

    return call


@pytest.fixture
def root(tmp_path):
    """The folder of a course that a test may change."""
    return write_tiny_course(tmp_path / "course")


def assert_one_sentence(result, *parts):
    """Check that a call failed with one sentence on stderr, nothing else, and exit status 2."""
    assert result.exit_code == 2
    assert result.stdout == ""
    [text] = result.stderr.splitlines()
    assert "Traceback" not in text
    for part in parts:
        assert part in text


# Help -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("option", ["--help", "-h"])
def test_the_help_explains_the_commands(call, option):
    result = call(option)
    assert result.exit_code == 0
    text = " ".join(result.stdout.split())
    for word in ("lessons", "nbgrader autograde LESSON", *COMMANDS):
        assert word in text


@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_has_help(call, root, command):
    result = call(command, "--help", folder=root)
    assert result.exit_code == 0
    assert result.stdout.startswith(f"Usage: main {command}")
    assert len(result.stdout.split()) > 15


@pytest.mark.parametrize("command", COMMANDS)
def test_help_needs_no_course(call, command):
    assert call(command, "--help").exit_code == 0


def test_without_a_command_the_help_is_shown(call):
    assert "Usage:" in call().output


def test_the_version_is_known(call):
    assert call("--version").stdout == f"autograder, version {autograder.__version__}\n"


# Errors -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", COMMANDS)
def test_outside_a_course_the_command_says_where_to_go(call, tmp_path, command):
    assert_one_sentence(
        call(command, *ARGUMENTS.get(command, ())),
        f"There is no nbgrader_config.py in {tmp_path} or above it.",
        "--course",
    )


@pytest.mark.parametrize("command", ["check", "build", "grade", "report"])
def test_an_unknown_lesson_is_named_with_those_there_are(call, root, command):
    assert_one_sentence(
        call(command, "none", folder=root),
        "There is no lesson 'none' in ",
        "the lessons are: tiny.",
    )


@pytest.mark.parametrize("command", ["check", "build"])
def test_a_course_without_lessons_is_named(call, root, command):
    for path in sorted((root / "lessons").rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    assert_one_sentence(call(command, folder=root), "There is no lesson in ")


@pytest.mark.parametrize("command", ["check", "build"])
def test_a_lesson_that_breaks_a_rule_is_named(call, tmp_path, command):
    node = first_notebook()
    node.cells[4].source = "def double(numbers):\n    return numbers * 2"
    root = write_course(tmp_path / "course", {"1_double": node})
    assert_one_sentence(
        call(command, folder=root), "1_double.ipynb: the answer double has no ### BEGIN SOLUTION."
    )


def test_a_solution_that_fails_is_named(call, tmp_path):
    node = first_notebook()
    node.cells[1].source += "\n1 / 0"
    root = write_course(tmp_path / "course", {"1_double": node})
    assert_one_sentence(
        call("check", folder=root),
        "The solution of 1_double fails in cell 2: ZeroDivisionError: division by zero",
    )


def test_a_lesson_that_cannot_be_read_is_named(call, root):
    (root / "lessons" / "tiny" / "2_count.ipynb").write_text("<<<<<<< HEAD")
    assert_one_sentence(call("check", folder=root), "2_count.ipynb", "cannot be read")


@pytest.mark.parametrize("text", ["c = get_config()\nc.Grade.cell_seconds =", "1 / 0"])
def test_a_configuration_that_fails_is_named(call, root, text):
    (root / "nbgrader_config.py").write_text(text)
    assert_one_sentence(call("check", folder=root), "nbgrader_config.py")


@pytest.mark.parametrize(
    "arguments",
    [["nonsense"], ["--nonsense"], ["--course", "none", "check"], ["check", "a", "b"]],
    ids=" ".join,
)
def test_wrong_usage_is_explained(call, root, arguments):
    result = call(*arguments, folder=root)
    assert result.exit_code == 2
    assert "Error: " in result.stderr


# Finding the course -----------------------------------------------------------------------------


def test_the_course_is_the_nearest_one_upwards(call, root):
    inside = root / "lessons" / "tiny"
    assert_one_sentence(call("check", "none", folder=inside), f"in {root / 'lessons'};")


def test_the_course_can_be_named(call, root):
    result = call("--course", str(root), "check", "none")
    assert_one_sentence(result, f"in {root / 'lessons'};")


# A weak check -----------------------------------------------------------------------------------


def test_a_weak_check_is_named_and_nothing_is_built(call, tmp_path):
    node = first_notebook()
    check = node.cells[5]
    check.source = check.source.replace(
        '"squares the numbers": lambda numbers: numbers**2',
        ('"doubles with [brackets]": lambda numbers: 2 * numbers'),
    )
    root = write_course(tmp_path / "course", {"1_double": node})
    result = call("build", folder=root)
    assert result.exit_code == 1
    assert "the checks accept: doubles with [brackets]" in " ".join(result.stdout.split())
    assert "Nothing was built, since a check is weak or a solution leaks." in result.stderr
    assert not (root / "release").exists()
    nbformat.validate(node)


def test_the_command_starts_without_a_grammar_that_nothing_here_needs():
    code = "import autograder.commands.cli, sys, jsonschema; print('lark' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout == "False\n"
