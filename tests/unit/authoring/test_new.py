"""Starting a notebook of a lesson."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest
from click.testing import CliRunner
from support.lessons import write_course

from autograder.authoring.check import check
from autograder.commands import cli
from autograder.course import load_course


def run(root: Path, *arguments: str) -> tuple[int, str]:
    done = CliRunner().invoke(cli.main, ["--course", str(root), "new", *arguments])
    return done.exit_code, " ".join(done.output.split())


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write_course(tmp_path, {}, "empty")


@pytest.mark.slow
def test_a_new_notebook_passes_the_checks_as_it_is(root):
    status, said = run(root, "lesson5_rows", "1_rows", "center:2.5", "mean_shape")
    assert status == 0
    assert "lessons/lesson5_rows/1_rows.ipynb" in said
    course = load_course(root)
    reports = list(check(course, course.lesson("lesson5_rows")))
    assert [(r.question.name, r.question.points) for r in reports] == [
        ("center", 2.5),
        ("mean_shape", 1),
    ]
    assert [problem for report in reports for problem in report.problems] == []


def test_a_second_notebook_joins_the_lesson(root):
    assert run(root, "lesson5_rows", "1_rows", "center")[0] == 0
    assert run(root, "lesson5_rows", "2_columns", "spread")[0] == 0
    lesson = load_course(root).lesson("lesson5_rows")
    assert [question.name for question in lesson.questions] == ["center", "spread"]
    assert [notebook.name for notebook in lesson.notebooks] == ["1_rows", "2_columns"]


@pytest.mark.parametrize(
    ("arguments", "status", "sentence"),
    [
        (("lesson5_rows", "1_rows", "other"), 2, "There is a notebook"),
        (("lesson5_rows", "2_rows", "center"), 2, "has a question 'center' already"),
        (("lesson5_rows", "2_rows", "a", "a"), 2, "has a question 'a' already"),
        (("lesson 5", "1_rows", "a"), 2, "'lesson 5' is not"),
        (("lesson5_rows", "../up", "a"), 2, "'../up' has others"),
        (("lesson5_rows", "2_rows", "1a"), 2, "'1a' is no Python name"),
        (("lesson5_rows", "2_rows", "a:0"), 2, "'0' is no number of points"),
        (("lesson5_rows", "2_rows", "a:nan"), 2, "'nan' is no number of points"),
        (("lesson5_rows", "2_rows"), 2, "Missing argument"),
    ],
)
def test_what_cannot_be_made_is_one_sentence_and_changes_nothing(root, arguments, status, sentence):
    assert run(root, "lesson5_rows", "1_rows", "center")[0] == 0
    before = {path: path.read_bytes() for path in root.rglob("*") if path.is_file()}
    found, said = run(root, *arguments)
    assert (found, sentence in said) == (status, True), said
    assert {path: path.read_bytes() for path in root.rglob("*") if path.is_file()} == before


def test_a_title_stands_above_everything(root):
    assert run(root, "lesson5_rows", "1_means_of_rows", "center")[0] == 0
    node = nbformat.read(root / "lessons" / "lesson5_rows" / "1_means_of_rows.ipynb", as_version=4)
    assert node.cells[0].source.startswith("# Means of rows\n")
    nbformat.validate(node)
