"""Lessons: the rules of the format, the questions, and what students get."""

from __future__ import annotations

import os
import re

import nbformat
import pytest
from support.answers import cell_of
from support.lessons import (
    DOUBLE,
    DOUBLE_CHECK,
    REASON,
    SIZE,
    SIZE_CHECK,
    answer,
    check,
    code,
    first_notebook,
    locked,
    managed,
    markdown,
    notebook_of,
    second_notebook,
    written,
)

from autograder.lesson.model import CourseError, Question, grade_id_of, load


@pytest.fixture
def load_cells(tmp_path):
    """Loads a lesson that consists of one notebook with the given cells."""

    def load_cells(*cells):
        folder = tmp_path / "small"
        folder.mkdir()
        nbformat.write(notebook_of(*cells), folder / "1_only.ipynb")
        return load(folder).notebooks[0]

    return load_cells


# Questions --------------------------------------------------------------------------------------


def test_the_questions_are_known_in_teaching_order(lesson):
    assert lesson.questions == (
        Question("double_check", "double", "1_double", 3.0, False),
        Question("size_check", "size", "2_count", 1.0, False),
        Question("reason", "reason", "2_count", 2.0, True),
    )
    assert lesson.max_score == 6
    assert lesson.name == "tiny"


def test_notebooks_and_cells_are_found_by_name(lesson, first):
    assert lesson.notebook("1_double") is first
    assert first.cell("double").source == DOUBLE.rstrip("\n")
    with pytest.raises(KeyError):
        lesson.notebook("3_none")
    with pytest.raises(KeyError):
        first.cell("nothing")


def test_the_names_that_an_answer_must_define_are_those_that_are_probed(load_cells):
    notebook = load_cells(
        answer("pair", "helper = 1\n### BEGIN SOLUTION\na, b = 1, 2\n### END SOLUTION"),
        check("pair_check", SIZE_CHECK.replace("value=size", "value=(a, b)")),
        answer("free", "c = d = None\n### BEGIN SOLUTION\n### END SOLUTION"),
    )
    assert notebook.asked_names("pair") == {"a", "b"}
    assert notebook.asked_names("free") == {"c", "d"}


def test_a_task_cell_is_a_question_for_a_person(load_cells):
    task = managed("essay", task=True, points=4)
    notebook = load_cells(markdown("essay", "Write an essay.", task))
    assert notebook.questions == (Question("essay", "essay", "1_only", 4.0, True),)


def test_cells_that_nbgrader_does_not_manage_have_no_identifier():
    for meta in (
        "broken",
        None,
        {},
        {"grade_id": "c"},
        {"locked": True},
        {"locked": True, "grade_id": 3},
    ):
        assert grade_id_of(code("c", "1", {"nbgrader": meta})) is None
    assert grade_id_of(code("c", "1")) is None
    assert grade_id_of(locked("c", "1")) == "c"


# What students get ------------------------------------------------------------------------------


def test_students_get_stubs_with_signatures_and_docstrings(first):
    source = cell_of(first.blank, "double").source
    assert source.startswith('def double(numbers):\n    """Return a new array')
    assert "numbers * 2" not in source
    assert source.endswith(
        '    # YOUR CODE HERE\n    raise NotImplementedError("replace this line with your answer")'
    )


def test_students_get_the_visible_checks_alone(first):
    assert cell_of(first.blank, "double_check").source == (
        "# Visible checks\n"
        'assert double(np.array([1.0, 2.0])).tolist() == [2.0, 4.0], "double([1, 2]) should be '
        '[2, 4]"'
    )


def test_students_get_no_marking_scheme(load_cells):
    prompt = "Say why.\n### BEGIN MARK SCHEME\nA point.\n### END MARK SCHEME"
    notebook = load_cells(markdown("p", prompt, managed("p")), written("reason", REASON))
    assert cell_of(notebook.blank, "p").source == "Say why."
    assert cell_of(notebook.blank, "reason").source == "YOUR ANSWER HERE"


def test_the_authors_notebook_stays_as_it_is(first):
    assert "### BEGIN SOLUTION" in first.cell("double").source
    assert "### BEGIN HIDDEN TESTS" in first.cell("double_check").source


def test_secret_lines_are_those_of_hidden_blocks_and_schemes(first):
    assert 'alternatives={"a sum": lambda numbers: numbers + numbers},' in first.secret_lines
    assert "# Visible checks" not in first.secret_lines


def test_the_fingerprint_follows_every_cell_and_no_output(load_cells, tmp_path):
    cells = [locked("setup", "x = 1"), answer("size", SIZE), check("size_check", SIZE_CHECK)]
    fingerprints = {load_cells(*cells).fingerprint}
    path = tmp_path / "small" / "1_only.ipynb"
    for number, change in enumerate(
        [
            lambda node: node.cells[0].outputs.append(nbformat.v4.new_output("stream", text="a")),
            lambda node: node.cells[0].update(source="x = 2"),
            lambda node: node.cells[2].metadata.nbgrader.update(points=5),
        ]
    ):
        node = notebook_of(*cells)
        change(node)
        nbformat.write(node, path)
        os.utime(path, ns=(number, number))
        fingerprints.add(load(path.parent).notebooks[0].fingerprint)
    assert len(fingerprints) == 3


def test_a_changed_notebook_is_read_anew(load_cells, tmp_path):
    assert load_cells(locked("setup", "x = 1")).node.cells[0].source == "x = 1"
    path = tmp_path / "small" / "1_only.ipynb"
    nbformat.write(notebook_of(locked("setup", "x = 1 + 1")), path)
    assert load(path.parent).notebooks[0].node.cells[0].source == "x = 1 + 1"


# Rules ------------------------------------------------------------------------------------------

ANSWER = answer("size", SIZE)
CHECK = check("size_check", SIZE_CHECK)


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        (
            [code("c", "### BEGIN HIDDEN TESTS\n1\n### END HIDDEN TESTS")],
            "1_only.ipynb, cell 1: only graded cells hold hidden tests.",
        ),
        (
            [locked("a", "1"), code("b", "2", managed("a"))],
            "1_only.ipynb: two cells have the grade_id 'a'.",
        ),
        (
            [answer("size", "size = 12"), CHECK],
            "1_only.ipynb: the answer size has no ### BEGIN SOLUTION.",
        ),
        (
            [ANSWER, check("size_check", "assert size == 12")],
            "the graded cell size_check must call probe(...) between ### BEGIN HIDDEN TESTS and",
        ),
        (
            [ANSWER, check("size_check", "from autograder.probe import probe\nprobe(value=size)")],
            "the graded cell size_check must call probe(...) between",
        ),
        (
            [
                ANSWER,
                check("size_check", "### BEGIN HIDDEN TESTS\nprobe(value=\n### END HIDDEN TESTS"),
            ],
            "the hidden block of size_check is not Python: ",
        ),
        (
            [
                ANSWER,
                check(
                    "size_check",
                    SIZE_CHECK.replace("probe(value=size", "probe(value=size, rtol=np.sum(P)"),
                ),
            ],
            "the hidden block of size_check uses P, np, which a student may have rebound",
        ),
        ([CHECK], "1_only.ipynb: no answer cell stands before size_check."),
        (
            [ANSWER, CHECK, check("other_check", SIZE_CHECK)],
            "Two questions of small are called 'size', in 1_only and 1_only",
        ),
        (
            [answer("size", "### BEGIN SOLUTION\nsize = 12"), CHECK],
            "size",
        ),
        (
            [code("c", "### BEGIN SOLUTION\nsize = 12\n### END SOLUTION"), ANSWER, CHECK],
            "SOLUTION",
        ),
        (
            [
                ANSWER,
                check("size_check", SIZE_CHECK.replace("import known_answers, probe", "import *")),
            ],
            "size_check",
        ),
        (
            [ANSWER, code("size_check", SIZE_CHECK, managed("size_check", grade=True))],
            "1_only.ipynb: nbgrader cannot use its metadata: ",
        ),
        (
            [locked("setup", "1"), code("b", "2", managed("b", schema_version=2))],
            "1_only.ipynb: nbgrader cannot use its metadata: Outdated schema version: 2",
        ),
    ],
    ids=[
        "hidden tests in an open cell",
        "an identifier twice",
        "an answer without a solution",
        "a check without a hidden block",
        "a probe in the open",
        "a block that is not Python",
        "borrowed names",
        "a check without an answer",
        "two checks for one answer",
        "a solution that never ends",
        "a solution in a cell that is no answer",
        "a star import",
        "a check without points",
        "metadata of an older nbgrader",
    ],
)
def test_a_notebook_that_breaks_a_rule_is_refused(load_cells, cells, message):
    with pytest.raises(CourseError, match=re.escape(message)):
        load_cells(*cells)


def test_names_of_questions_are_unique_in_a_lesson(tmp_path):
    for name in ("1_a", "2_b"):
        nbformat.write(first_notebook(), tmp_path / f"{name}.ipynb")
    with pytest.raises(CourseError, match="are called 'double', in 1_a and 2_b"):
        load(tmp_path)


def test_a_missing_or_empty_folder_is_refused(tmp_path):
    with pytest.raises(CourseError, match="There is no lesson folder 'none'"):
        load(tmp_path / "none")
    with pytest.raises(CourseError, match="holds no notebook"):
        load(tmp_path)


@pytest.mark.parametrize("text", ["", "not JSON", "{}", "[]", '{"nbformat": 4}'])
def test_a_file_that_is_no_notebook_is_refused(tmp_path, text):
    (tmp_path / "1_only.ipynb").write_text(text)
    with pytest.raises(CourseError, match=r"1_only\.ipynb cannot be read"):
        load(tmp_path)


def test_a_notebook_whose_cells_have_no_identifiers_is_refused(tmp_path):
    node = second_notebook()
    node.nbformat_minor = 4
    for cell in node.cells:
        del cell["id"]
    nbformat.write(node, tmp_path / "1_only.ipynb")
    with pytest.raises(CourseError, match="1_only"):
        load(tmp_path)


def test_a_good_lesson_is_accepted(load_cells):
    notebook = load_cells(
        locked("setup", "x = 1"), answer("double", DOUBLE), check("double_check", DOUBLE_CHECK)
    )
    assert [question.name for question in notebook.questions] == ["double"]
