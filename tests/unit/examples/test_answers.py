"""Submissions made from answers in small text files."""

from __future__ import annotations

import nbformat
import pytest
from support.answers import cell_of, index_of

from autograder.submission.read import read_notebook
from autograder.submission.restore import restore
from examples import answers
from examples.answers import Cell

PLAIN = """\
# question: double
# expect: full
# why: adding is doubling: twice the same
def double(numbers):
    return numbers + numbers
"""

PIECES = """\
# question: double
# %% before double
factor = 2
# %% answer double
def double(numbers):
    # %% not a mark
    return factor * numbers

# %% after double_check
print("done")
# %% answer size

size = 11
"""


def test_a_file_has_a_header_and_the_answer_to_its_question():
    entry = answers.parse(PLAIN, "adds")
    assert entry.name == "adds"
    assert entry.header == {
        "question": "double",
        "expect": "full",
        "why": "adding is doubling: twice the same",
    }
    assert entry.question == "double"
    assert entry.cells == (
        Cell("answer", "double", "def double(numbers):\n    return numbers + numbers"),
    )


def test_a_file_may_hold_several_cells():
    assert answers.parse(PIECES, "cells").cells == (
        Cell("before", "double", "factor = 2"),
        Cell(
            "answer",
            "double",
            "def double(numbers):\n    # %% not a mark\n    return factor * numbers",
        ),
        Cell("after", "double_check", 'print("done")'),
        Cell("answer", "size", "size = 11"),
    )


@pytest.mark.parametrize("text", ["", "x = 1", "# why: no question\nx = 1", "\n# question: double"])
def test_a_file_without_a_question_is_refused(text):
    with pytest.raises(ValueError, match="adds: the header must name a question"):
        answers.parse(text, "adds")


def test_a_file_is_named_after_its_path(tmp_path):
    path = tmp_path / "adds.py"
    path.write_text(PLAIN, encoding="utf-8")
    assert answers.read(path) == answers.parse(PLAIN, "adds")


def test_a_solved_notebook_has_the_solutions_and_nothing_hidden(first, second):
    node = first.solved()
    assert cell_of(node, "double").source.endswith('"""\n    return numbers * 2')
    assert cell_of(second.solved(), "size").source.endswith("\nsize = 12")
    text = nbformat.writes(node)
    for mark in ("SOLUTION", "HIDDEN", "squares", "NotImplementedError"):
        assert mark not in text


def test_cells_join_a_notebook_where_they_belong(first):
    entry = answers.parse(PIECES.split("# %% answer size")[0], "cells")
    node = answers.answered(first, [entry])
    at = index_of(node, "double")
    assert node.cells[at - 1].source == "factor = 2"
    assert "factor * numbers" in node.cells[at].source
    assert node.cells[index_of(node, "double_check") + 1].source == 'print("done")'
    nbformat.validate(node)
    assert len({cell.id for cell in node.cells}) == len(node.cells)


def test_a_cell_that_no_notebook_has_is_named(first):
    entry = answers.parse("# question: double\n# %% before nothing\nx = 1", "lost")
    with pytest.raises(KeyError, match="there is no cell 'nothing'"):
        answers.answered(first, [entry])


def test_a_submission_has_all_notebooks_or_those_that_it_is_about(lesson):
    entry = answers.parse(PLAIN, "adds")
    assert list(answers.submission(lesson, [entry]).notebooks) == ["1_double", "2_count"]
    assert list(answers.submission(lesson, [entry], whole=False).notebooks) == ["1_double"]
    assert list(answers.submission(lesson).notebooks) == ["1_double", "2_count"]
    assert list(answers.submission(lesson, whole=False).notebooks) == []


def test_a_written_submission_needs_no_repair(lesson, tmp_path):
    made = answers.submission(lesson, [answers.parse(PLAIN, "adds")])
    made.write(tmp_path / "new" / "folder")
    for notebook in lesson.notebooks:
        node, repairs = read_notebook(tmp_path / "new" / "folder" / f"{notebook.name}.ipynb")
        assert repairs + restore(notebook, node).repairs == []


def test_making_a_submission_leaves_the_lesson_as_it_is(lesson):
    before = [nbformat.writes(notebook.blank) for notebook in lesson.notebooks]
    answers.submission(lesson, [answers.parse(PIECES.split("# %% answer size")[0], "cells")])
    assert [nbformat.writes(notebook.blank) for notebook in lesson.notebooks] == before
