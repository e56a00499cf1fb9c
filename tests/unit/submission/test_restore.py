"""Rebuilding a submission from the lesson, whatever editors, tools and people did to it."""

from __future__ import annotations

import copy

import nbformat
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nbgrader import utils
from support.answers import answered, cell_of, index_of, solved
from support.lessons import (
    REASON,
    answer,
    check,
    code,
    first_notebook,
    locked,
    markdown,
    notebook_of,
    written,
)

from autograder.lesson.model import grade_id_of, load
from autograder.notes import Kind
from autograder.submission import restore as restoring
from autograder.submission.answers import MAX_PIECES
from autograder.submission.code import defines, parses
from autograder.submission.pairing import MAX_REPAIRS, Pairing
from autograder.submission.restore import answers_given, likeness, restore

ANSWER = "def double(numbers):\n    return 2 * numbers"

DOT = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII="
PICTURE = {"image/png": DOT}
OTHER_PICTURE = {"image/gif": "R0lGODlhAQABAAAAACH5BAAAAAAALAAAAAABAAEAAAICTAEAOw=="}


def extras_of(restored):
    return [cell for cell in restored.node.cells if cell.id.startswith("extra")]


def assert_intact(notebook, restored):
    """Check that every cell of the lesson is there as its author wrote it, in order."""
    own = [cell for cell in restored.node.cells if not cell.id.startswith("extra")]
    assert [cell.id for cell in own] == [cell.id for cell in notebook.node.cells]
    for cell, wanted in zip(own, notebook.node.cells, strict=True):
        assert cell.cell_type == wanted.cell_type
        meta = copy.deepcopy(cell.metadata)
        if utils.is_solution(wanted):
            meta.nbgrader.pop("checksum")
        else:
            assert cell.source == wanted.source
        assert meta == wanted.metadata
    for cell in extras_of(restored):
        assert not cell.metadata
    ids = [cell.id for cell in restored.node.cells]
    assert len(set(ids)) == len(ids)
    nbformat.validate(restored.node)


def restored_from(notebook, node):
    restored = restore(notebook, node)
    assert_intact(notebook, restored)
    return restored


def source_of(restored, identifier):
    return cell_of(restored.node, identifier).source


def strip(cell, *, metadata=True, identifier=True):
    if metadata:
        cell.metadata = nbformat.NotebookNode()
    if identifier:
        cell.id = ""
    return cell


def own_code(source):
    """Return a cell that a student added."""
    return code("own", source)


# Nothing to repair ------------------------------------------------------------------------------


def test_a_perfect_submission_needs_no_repair(lesson):
    for notebook in lesson.notebooks:
        restored = restored_from(notebook, solved(notebook))
        assert restored.repairs == []
        assert restored.blank == set()
        assert not extras_of(restored)


def test_a_blank_submission_stays_blank_and_needs_no_repair(lesson):
    for notebook in lesson.notebooks:
        restored = restored_from(notebook, copy.deepcopy(notebook.blank))
        assert restored.repairs == []
        assert restored.blank == {
            grade_id_of(cell) for cell in notebook.node.cells if utils.is_solution(cell)
        }
        for identifier in restored.blank:
            assert source_of(restored, identifier) == cell_of(notebook.blank, identifier).source


def test_a_blank_written_answer_scores_zero_without_a_person(second):
    for node, score in ((second.blank, 0), (solved(second), None)):
        restored = restored_from(second, node)
        assert utils.determine_grade(cell_of(restored.node, "reason"))[0] == score


@pytest.mark.parametrize("source", ["", "  \n\n", "{stub}\n\n", "\n{stub}   "])
def test_an_answer_without_text_or_with_the_stub_alone_is_blank(first, source):
    stub = cell_of(first.blank, "double").source
    restored = restored_from(first, answered(first, double=source.format(stub=stub)))
    assert restored.blank == {"double"}
    assert source_of(restored, "double") == stub


def test_outputs_and_trailing_blanks_do_not_matter(first):
    node = solved(first)
    for cell in node.cells:
        cell.source = cell.source.replace("\n", "  \n") + "  \n\n"
        if cell.cell_type == "code":
            cell.outputs = [nbformat.v4.new_output("stream", text="old")]
    assert restored_from(first, node).repairs == []


def test_a_submission_is_not_changed_by_reading_it(first):
    node = solved(first)
    node.cells.insert(5, own_code("x = 1"))
    before = copy.deepcopy(node)
    restore(first, node)
    assert node == before


# Deleted ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("identifier", ["setup", "double_check"])
def test_a_deleted_locked_cell_is_put_back(first, identifier):
    node = answered(first, double=ANSWER)
    del node.cells[index_of(node, identifier)]
    restored = restored_from(first, node)
    assert restored.repairs == [f"the cell {identifier} was missing and was put back"]
    assert source_of(restored, "double") == ANSWER


def test_deleted_prose_is_put_back(first):
    node = answered(first, double=ANSWER)
    node.cells = [cell for cell in node.cells if cell.cell_type == "code"]
    assert source_of(restored_from(first, node), "double") == ANSWER


def test_a_deleted_answer_is_put_back_blank(first):
    node = solved(first)
    del node.cells[index_of(node, "double")]
    restored = restored_from(first, node)
    assert restored.repairs == ["the answer cell double was missing and was put back blank"]
    assert restored.blank == {"double"}


def test_of_an_empty_notebook_everything_is_put_back(lesson):
    for notebook in lesson.notebooks:
        restored = restored_from(notebook, notebook_of())
        managed = [cell for cell in notebook.node.cells if grade_id_of(cell)]
        assert len(restored.repairs) == len(managed)


# Copied -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("marked", [True, False])
def test_a_copied_check_is_there_once(first, marked):
    node = answered(first, double=ANSWER)
    at = index_of(node, "double_check")
    node.cells.insert(at + 1, copy.deepcopy(node.cells[at]))
    if not marked:
        strip(node.cells[at + 1])
    restored = restored_from(first, node)
    assert restored.repairs == ["the cell double_check was there more than once; one was kept"]
    assert not extras_of(restored)


def test_a_copy_further_down_moves_neither_a_cell_nor_what_follows_it(first):
    node = answered(first, double=ANSWER)
    node.cells += [copy.deepcopy(cell_of(node, "setup")), own_code("double(numbers)")]
    restored = restored_from(first, node)
    assert restored.repairs == ["the cell setup was there more than once; one was kept"]
    assert restored.node.cells[-1].source == "double(numbers)"


def test_nothing_is_said_of_a_copy_of_a_cell_that_nothing_depends_on(first):
    node = answered(first, double=ANSWER)
    for name in ("title", "demo"):
        node.cells.append(copy.deepcopy(cell_of(node, name)))
    restored = restored_from(first, node)
    assert (restored.repairs, extras_of(restored)) == ([], [])


def test_of_two_changed_copies_of_a_check_the_second_is_the_students_own(first):
    node = answered(first, double=ANSWER)
    at = index_of(node, "double_check")
    node.cells.insert(at + 1, copy.deepcopy(node.cells[at]))
    node.cells[at].source, node.cells[at + 1].source = "print(1)", "print(2)"
    assert [cell.source for cell in extras_of(restored_from(first, node))] == ["print(2)"]


def test_a_prose_cell_that_was_split_is_whole_again(first):
    node = answered(first, double=ANSWER)
    head, _, tail = cell_of(node, "title").source.partition("\n\n")
    node.cells.insert(1, copy.deepcopy(cell_of(node, "title")))
    node.cells[0].source, node.cells[1].source = head, tail
    assert not extras_of(restored_from(first, node))


@pytest.mark.parametrize("place", [0, 1], ids=["before", "after"])
@pytest.mark.parametrize("damage", ["none", "metadata", "identifier", "both"])
def test_a_blank_copy_never_overrides_an_answer(first, place, damage):
    node = answered(first, double=ANSWER)
    blank = copy.deepcopy(cell_of(first.blank, "double"))
    strip(
        blank, metadata=damage in ("metadata", "both"), identifier=damage in ("identifier", "both")
    )
    node.cells.insert(index_of(node, "double") + place, blank)
    restored = restored_from(first, node)
    assert source_of(restored, "double") == ANSWER
    assert "double" not in restored.blank


def test_a_blank_copy_is_reported(first):
    node = answered(first, double=ANSWER)
    node.cells.insert(4, copy.deepcopy(cell_of(first.blank, "double")))
    assert restored_from(first, node).repairs == [
        "a blank copy of the answer cell double was ignored"
    ]


def test_of_two_answers_the_later_counts_and_the_other_stays_as_a_cell(first):
    node = answered(first, double="def double(numbers):\n    return None")
    at = index_of(node, "double")
    node.cells.insert(at + 1, copy.deepcopy(node.cells[at]))
    node.cells[at + 1].source = ANSWER
    restored = restored_from(first, node)
    assert source_of(restored, "double") == ANSWER
    assert [cell.source for cell in extras_of(restored)] == [
        "def double(numbers):\n    return None"
    ]
    assert "a copy of the answer cell double was kept as an extra cell" in restored.repairs


def test_a_copy_that_was_made_a_text_cell_is_kept_as_text(first):
    node = answered(first, double=ANSWER)
    old = copy.deepcopy(cell_of(node, "double"))
    old.cell_type, old.source = "markdown", "def double(numbers):\n    return None"
    node.cells.insert(index_of(node, "double"), old)
    [extra] = extras_of(restored_from(first, node))
    assert (extra.cell_type, extra.source) == ("markdown", old.source)


def test_of_two_cells_that_define_nothing_the_first_counts(first):
    broken = "def double(numbers)\n    return 2 * numbers"
    node = answered(first, double=broken)
    at = index_of(node, "double")
    node.cells.insert(at + 1, copy.deepcopy(node.cells[at]))
    node.cells[at + 1].source = "print(double(numbers))"
    assert source_of(restored_from(first, node), "double") == broken


def test_a_copy_with_a_try_in_it_does_not_replace_the_answer(first):
    node = answered(first, double=ANSWER)
    at = index_of(node, "double")
    node.cells.insert(at + 1, copy.deepcopy(node.cells[at]))
    node.cells[at + 1].source = "print(double(numbers))"
    restored = restored_from(first, node)
    assert source_of(restored, "double") == ANSWER
    assert [cell.source for cell in extras_of(restored)] == ["print(double(numbers))"]


# Split ------------------------------------------------------------------------------------------


def split_answer(notebook, line, *, keep):
    """Return a perfect submission whose answer ``double`` is split before the given line."""
    node = solved(notebook)
    at = index_of(node, "double")
    lines = node.cells[at].source.split("\n")
    tail = copy.deepcopy(node.cells[at])
    node.cells[at].source = "\n".join(lines[:line])
    tail.source = "\n".join(lines[line:])
    tail.id = "tail"
    if not keep:
        strip(tail, identifier=False)
    node.cells.insert(at + 1, tail)
    return node


@pytest.mark.parametrize("keep", [True, False], ids=["metadata in both", "metadata in one"])
@pytest.mark.parametrize("line", [1, 2, 3, 5], ids=["head", "docstring", "text", "body"])
def test_an_answer_that_was_split_inside_its_function_is_joined_again(first, line, keep):
    restored = restored_from(first, split_answer(first, line, keep=keep))
    assert source_of(restored, "double") == cell_of(solved(first), "double").source
    assert restored.repairs == ["the answer cell double was split and was joined again"]
    assert not extras_of(restored)


def test_a_split_answer_without_any_mark_is_joined_again(first):
    node = split_answer(first, 5, keep=False)
    for cell in node.cells:
        strip(cell)
    restored = restored_from(first, node)
    assert source_of(restored, "double") == cell_of(solved(first), "double").source
    assert not extras_of(restored)


def test_an_answer_indented_by_tabs_is_joined_again(first):
    node = answered(first, double="def double(numbers):")
    node.cells.insert(index_of(node, "double") + 1, own_code("\treturn 2 * numbers"))
    restored = restored_from(first, node)
    assert source_of(restored, "double") == "def double(numbers):\n\treturn 2 * numbers"


def test_a_split_answer_whose_end_was_merged_with_the_check_is_joined_and_separated(first):
    node = split_answer(first, 5, keep=False)
    merge(node, "tail", "double_check")
    restored = restored_from(first, node)
    assert source_of(restored, "double").strip() == cell_of(solved(first), "double").source


def test_a_function_of_the_students_that_was_split_is_no_answer(first):
    node = copy.deepcopy(first.blank)
    node.cells += [own_code("def helper(x):"), own_code("    return x")]
    restored = restored_from(first, node)
    assert restored.blank == {"double"}
    assert [cell.source for cell in extras_of(restored)] == ["def helper(x):", "    return x"]


def test_the_pieces_of_an_answer_stand_one_below_the_other(first):
    node = notebook_of(code("a", "    return 2 * numbers"), code("b", "def double(numbers):"))
    restored = restored_from(first, node)
    assert source_of(restored, "double") == "def double(numbers):"
    assert [cell.source for cell in extras_of(restored)] == ["    return 2 * numbers"]


def test_indented_text_below_an_answer_is_text(first):
    node = answered(first, double=ANSWER)
    node.cells.insert(index_of(node, "double") + 1, markdown("own", "    y = 1"))
    restored = restored_from(first, node)
    assert source_of(restored, "double") == ANSWER
    assert [cell.source for cell in extras_of(restored)] == ["    y = 1"]


def test_an_indented_answer_is_no_piece_of_the_one_above(pair):
    node = answered(pair, low="if True:\n    low = 3", high="    high = 5")
    node.cells.insert(index_of(node, "low") + 1, node.cells.pop(index_of(node, "high")))
    assert source_of(restored_from(pair, node), "low") == "if True:\n    low = 3"


def test_an_answer_is_joined_of_so_many_pieces_and_no_more(first):
    node = answered(first, double="def double(numbers):")
    at = index_of(node, "double")
    pieces = [f"    numbers = numbers + {number}" for number in range(MAX_PIECES + 5)]
    node.cells[at + 1 : at + 1] = [own_code(piece) for piece in pieces]
    restored = restored_from(first, node)
    lines = source_of(restored, "double").split("\n")
    assert len(lines) == MAX_PIECES
    assert len(extras_of(restored)) == len(pieces) + 1 - MAX_PIECES


def test_an_answer_whose_head_stands_too_far_above_is_not_joined(first):
    node = answered(first, double="    return numbers")
    at = index_of(node, "double")
    pieces = ["def double(numbers):", *MAX_PIECES * ["    numbers = numbers + 1"]]
    node.cells[at:at] = [own_code(piece) for piece in pieces]
    assert source_of(restored_from(first, node), "double") == "    return numbers"


def test_an_answer_that_was_split_between_statements_is_complete(first):
    node = answered(first, double=ANSWER)
    helper = own_code("factor = 2")
    node.cells.insert(index_of(node, "double"), helper)
    restored = restored_from(first, node)
    assert restored.repairs == []
    at = index_of(restored.node, "double")
    assert restored.node.cells[at - 1].source == "factor = 2"


# Merged -----------------------------------------------------------------------------------------


def merge(node, first, second):
    """Merge two cells as JupyterLab does; the metadata of the first stays."""
    top, below = index_of(node, first), index_of(node, second)
    node.cells[top].source += "\n\n" + node.cells[below].source
    del node.cells[below]
    return node


def test_an_answer_that_was_merged_with_its_check_is_separated(first):
    restored = restored_from(first, merge(answered(first, double=ANSWER), "double", "double_check"))
    assert source_of(restored, "double").strip() == ANSWER
    assert (
        "the answer cell double had been merged with another cell and was separated"
        in restored.repairs
    )


def test_an_answer_that_was_merged_into_the_setup_is_separated(first):
    restored = restored_from(first, merge(answered(first, double=ANSWER), "setup", "double"))
    assert source_of(restored, "double").strip() == ANSWER


@pytest.mark.parametrize(
    "source",
    [
        "# Two numbers\nlow = 3",
        "low = 3\nassert low is not None, 'replace None'",
        "{stub}\nlow = 3",
    ],
    ids=["short prose", "one line of a check", "the stub"],
)
def test_what_an_answer_may_have_by_chance_is_not_taken_out(pair, source):
    source = source.format(stub=cell_of(pair.blank, "low").source)
    restored = restored_from(pair, answered(pair, low=source))
    assert source_of(restored, "low") == source
    assert restored.repairs == []


def test_the_stub_stays_where_the_answer_stands_below_it(first):
    source = f"{cell_of(first.blank, 'double').source}\n\n{ANSWER}"
    assert source_of(restored_from(first, answered(first, double=source)), "double") == source


def test_a_line_that_a_check_begins_with_is_not_taken_for_the_check(first):
    [line, *_] = cell_of(first.blank, "double_check").source.split("\n")
    source = f"{line}\n{ANSWER}"
    assert source_of(restored_from(first, answered(first, double=source)), "double") == source


def test_the_text_of_another_cell_alone_is_a_wrong_answer(first):
    check_text = cell_of(first.blank, "double_check").source
    restored = restored_from(first, answered(first, double=check_text))
    assert source_of(restored, "double") == check_text
    assert restored.repairs == []


def test_a_blank_answer_that_was_merged_with_its_check_is_blank(first):
    node = merge(copy.deepcopy(first.blank), "double", "double_check")
    strip(cell_of(node, "double"))
    assert restored_from(first, node).blank == {"double"}


def test_a_one_line_check_that_was_merged_into_an_answer_does_no_harm(second):
    restored = restored_from(second, merge(solved(second), "size", "size_check"))
    assert "size = 12" in source_of(restored, "size")


# Moved, retyped ---------------------------------------------------------------------------------


def test_moved_cells_are_put_back_in_order(first):
    node = answered(first, double=ANSWER)
    node.cells.insert(0, node.cells.pop(index_of(node, "double_check")))
    restored = restored_from(first, node)
    assert source_of(restored, "double") == ANSWER
    assert restored.repairs == [
        "cells stood in another order and were put back in the lesson's order"
    ]


def test_cells_in_reverse_order_are_put_back_in_order(lesson):
    for notebook in lesson.notebooks:
        node = solved(notebook)
        node.cells.reverse()
        restored = restored_from(notebook, node)
        assert len(restored.repairs) == 1
        assert restored.blank == set()


@pytest.mark.parametrize("kind", ["markdown", "raw"])
def test_an_answer_that_was_made_a_text_cell_is_code_again(first, kind):
    node = answered(first, double=ANSWER)
    cell_of(node, "double").cell_type = kind
    restored = restored_from(first, node)
    assert source_of(restored, "double") == ANSWER
    assert restored.repairs == ["the answer cell double was turned back into a code cell"]


@pytest.mark.parametrize("identifier", ["setup", "double_check"])
def test_a_locked_cell_that_was_made_a_text_cell_is_code_again(first, identifier):
    node = answered(first, double=ANSWER)
    cell_of(node, identifier).cell_type = "raw"
    assert source_of(restored_from(first, node), "double") == ANSWER


def test_a_written_answer_that_was_made_code_is_text_again(second):
    node = answered(second, reason="Three rows of four.")
    cell_of(node, "reason").cell_type = "code"
    assert source_of(restored_from(second, node), "reason") == "Three rows of four."


# Metadata and identifiers -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("metadata", "identifier"),
    [(True, False), (False, True), (True, True)],
    ids=["metadata", "identifiers", "both"],
)
def test_a_submission_without_metadata_or_identifiers_is_recognized(lesson, metadata, identifier):
    for notebook in lesson.notebooks:
        node = solved(notebook)
        for cell in node.cells:
            strip(cell, metadata=metadata, identifier=identifier)
        restored = restored_from(notebook, node)
        assert restored.blank == set()
        answers = [g for c in notebook.node.cells if utils.is_solution(c) and (g := grade_id_of(c))]
        notes = [
            f"the answer {name} was recognized without its cell's metadata" for name in answers
        ]
        if metadata and identifier:
            assert restored.repairs == notes
        elif metadata:
            assert set(restored.repairs) <= set(notes)
        else:
            assert restored.repairs == []


def test_a_blank_submission_without_metadata_is_blank(lesson, pair):
    for notebook in (*lesson.notebooks, pair):
        node = copy.deepcopy(notebook.blank)
        for cell in node.cells:
            strip(cell)
        restored = restored_from(notebook, node)
        assert restored.blank
        assert restored.repairs == []


@pytest.mark.parametrize("metadata", [True, False])
def test_a_changed_cell_is_known_by_either_of_its_identifiers(first, metadata):
    node = answered(first, double=ANSWER)
    cell_of(node, "double_check").source = "print('something else')"
    strip(cell_of(node, "double_check"), metadata=metadata, identifier=not metadata)
    restored = restored_from(first, node)
    assert restored.repairs == ["the locked cell double_check was changed and was restored"]
    assert not extras_of(restored)


def test_identifiers_that_were_changed_are_changed_back(first):
    node = answered(first, double=ANSWER)
    for number, cell in enumerate(node.cells):
        cell.id = f"new-{number}"
        if grade_id_of(cell):
            cell.metadata.nbgrader.grade_id += "_renamed"
    restored = restored_from(first, node)
    assert source_of(restored, "double") == ANSWER


@pytest.mark.parametrize(
    "change",
    [
        {"points": 1000},
        {"points": "many"},
        {"grade": False, "solution": False, "locked": False},
        {"schema_version": 1, "checksum": "00"},
        {"schema_version": 99},
        {"task": True},
        {"cell_type": "markdown"},
        {"grade_id": "setup"},
        {"grade_id": ["double"]},
        {"grade_id": None},
    ],
    ids=str,
)
def test_altered_metadata_reaches_nothing(first, change):
    node = answered(first, double=ANSWER)
    for cell in node.cells:
        if grade_id_of(cell):
            cell.metadata.nbgrader.update(change)
    assert source_of(restored_from(first, node), "double") == ANSWER


@pytest.mark.parametrize("meta", [None, 3, "text", [], {"grade_id": "double"}])
def test_malformed_metadata_does_no_harm(first, meta):
    node = answered(first, double=ANSWER)
    for cell in node.cells:
        cell.metadata.nbgrader = meta
    assert source_of(restored_from(first, node), "double") == ANSWER


def test_a_cell_of_the_students_that_claims_to_be_graded_is_a_plain_cell(first):
    node = answered(first, double=ANSWER)
    forged = copy.deepcopy(cell_of(node, "double_check"))
    forged.metadata.nbgrader.grade_id = "more_points"
    forged.source = "1000"
    node.cells.append(forged)
    [extra] = extras_of(restored_from(first, node))
    assert (extra.source, extra.metadata) == ("1000", {})


def test_a_cell_that_claims_to_be_the_check_is_not_run_in_its_place(first):
    node = answered(first, double=ANSWER)
    cell_of(node, "double_check").source = "import os\nos._exit(0)"
    restored = restored_from(first, node)
    assert restored.repairs == ["the locked cell double_check was changed and was restored"]
    assert not extras_of(restored)


# Answers in other places ------------------------------------------------------------------------


@pytest.mark.parametrize("place", [0, 4, 5, 6, 8])
def test_an_answer_in_a_cell_of_its_own_is_found(first, place):
    node = copy.deepcopy(first.blank)
    node.cells.insert(place, own_code(ANSWER))
    restored = restored_from(first, node)
    assert source_of(restored, "double") == ANSWER
    assert restored.repairs[0] == "the answer double was recognized without its cell's metadata"
    assert not restored.blank
    assert not extras_of(restored)


@pytest.mark.parametrize("owner", ["setup", "double_check"])
def test_an_answer_below_the_text_of_a_locked_cell_is_found(first, owner):
    node = copy.deepcopy(first.blank)
    cell_of(node, owner).source += "\n\n" + ANSWER
    restored = restored_from(first, node)
    assert source_of(restored, "double").strip() == ANSWER
    assert restored.repairs


def test_an_answer_in_a_copy_of_another_answer_cell_is_found(pair):
    node = answered(pair, low="low = 3", high=cell_of(pair.blank, "high").source)
    wrong = copy.deepcopy(cell_of(node, "low"))
    wrong.source, wrong.id = "high = 5", "copy"
    node.cells.insert(index_of(node, "low") + 1, wrong)
    restored = restored_from(pair, node)
    assert source_of(restored, "low") == "low = 3"
    assert source_of(restored, "high") == "high = 5"


def test_two_answers_in_one_cell_both_count(pair):
    node = copy.deepcopy(pair.blank)
    cell_of(node, "low").source = "low = 3\nhigh = 5"
    del node.cells[index_of(node, "high")]
    restored = restored_from(pair, node)
    assert "low = 3" in source_of(restored, "low")
    assert "high = 5" in source_of(restored, "high")
    names = {}
    for cell in restored.node.cells:
        if cell.source and (cell.id.startswith("extra") or grade_id_of(cell) == "low"):
            exec(cell.source, names)
    assert (names["low"], names["high"]) == (3, 5)


def test_swapped_answer_cells_are_told_by_what_they_define(pair):
    restored = restored_from(pair, answered(pair, low="high = 5", high="low = 3"))
    assert source_of(restored, "low") == "low = 3"
    assert source_of(restored, "high") == "high = 5"


@pytest.mark.parametrize("also", ["", "\nhigh = None"], ids=["alone", "with another name"])
def test_a_name_that_a_student_uses_elsewhere_is_no_answer(pair, also):
    node = answered(pair, low=f"low = 3{also}", high="high = low + 2")
    node.cells.append(own_code("low = 'something else'"))
    restored = restored_from(pair, node)
    assert source_of(restored, "low") == f"low = 3{also}"
    assert [cell.source for cell in extras_of(restored)] == ["low = 'something else'"]


def test_of_two_answers_in_cells_of_their_own_the_later_counts(first):
    node = copy.deepcopy(first.blank)
    node.cells += [own_code("def double(numbers):\n    return None"), own_code(ANSWER)]
    assert source_of(restored_from(first, node), "double") == ANSWER


def test_what_the_lesson_itself_defines_is_no_answer(pair):
    restored = restored_from(pair, copy.deepcopy(pair.blank))
    assert restored.blank == {"low", "high", "why", "whence"}


def test_an_answer_in_a_locked_cell_that_was_changed_is_found_and_said(first):
    node = copy.deepcopy(first.blank)
    cell_of(node, "setup").source = f"import numpy as np\n\n{ANSWER}"
    restored = restored_from(first, node)
    assert source_of(restored, "double").strip() == ANSWER
    assert "the answer double stood in the cell setup and was moved to its own" in restored.repairs


@pytest.fixture(scope="module")
def pair(tmp_path_factory):
    """A notebook with two answers of code and two written ones."""
    folder = tmp_path_factory.mktemp("lessons") / "pair"
    folder.mkdir()
    setup = "import math\n\nlow = high = 0"
    cells = [markdown("title", "# Two numbers"), locked("setup", setup)]
    for name, value in (("low", 3), ("high", 5)):
        solution = f"{name} = None\n### BEGIN SOLUTION\n{name} = {value}\n### END SOLUTION"
        block = (
            "### BEGIN HIDDEN TESTS\nfrom autograder.probe import probe\n"
            f"probe(value={name})\n### END HIDDEN TESTS\n"
            f"assert {name} is not None, 'replace None'"
        )
        cells += [answer(name, solution), check(f"{name}_check", block)]
    cells += [written("why", REASON), markdown("between", "And now:"), written("whence", REASON)]
    cells[-3].attachments = {"drawn.png": PICTURE}
    cells[2].id = "another-than-low"
    nbformat.write(notebook_of(*cells), folder / "1_pair.ipynb")
    return load(folder).notebooks[0]


# Answers in IPython ------------------------------------------------------------------------------

IN_IPYTHON = [
    "%time x = 3\n" + ANSWER,
    "!pip install numpy\n" + ANSWER,
    ANSWER + "\n\ndouble?",
    "%%time\n" + ANSWER,
    "try:\n    def double(numbers):\n        return 2 * numbers\nexcept NameError:\n    pass",
    "if True:\n    def double(numbers):\n        return 2 * numbers",
    "with open(__file__):\n    double = lambda numbers: 2 * numbers",
    "from helper import double",
    "import helper as double",
    "def double(numbers):\n    return f'{numbers['a' + }'",
    "match 1:\n    case double:\n        pass",
]


@pytest.mark.parametrize("source", IN_IPYTHON)
@pytest.mark.parametrize("blank", ["gone", "kept"])
def test_an_answer_in_ipython_is_found_without_its_cells_metadata(first, source, blank):
    node = answered(first, double=source)
    strip(cell_of(node, "double"))
    if blank == "kept":
        node.cells.insert(index_of(node, "demo"), cell_of(first.blank, "double"))
    restored = restored_from(first, node)
    assert source_of(restored, "double") == source
    assert (restored.blank, restored.unclear) == (set(), {})


@pytest.mark.parametrize(
    ("source", "how"),
    [
        ("exec('def double(x): return 2 * x')", "in a way that cannot be read from it"),
        ("globals()['double'] = lambda x: 2 * x", "in a way that cannot be read from it"),
        (
            "def make():\n    global double\n    double = max",
            "in a way that cannot be read from it",
        ),
        ("%%cython\ndef double(x): return 2 * x", "in a cell magic"),
        ("%run answers.py", "from a file"),
        ("from answers_of_mine import *", "by from answers_of_mine import *"),
        ("from .answers import *", "by from answers import *"),
    ],
)
def test_where_a_cell_may_hold_the_answer_nobody_says_that_there_is_none(first, source, how):
    node = copy.deepcopy(first.blank)
    node.cells.append(own_code(source))
    restored = restored_from(first, node)
    assert restored.unclear == {
        "double": "the answer cell double is as it was handed out, and cell 9 of the notebook may "
        f"define double {how}; define it in the answer cell"
    }
    assert restored.unclear["double"].kind is Kind.UNCLEAR


@pytest.mark.parametrize(
    "source",
    [
        "from math import *",
        "exec('x = 1')",
        "print(double)",
        "%%bash\necho double",
        "# exec: double",
        "not python at all",
    ],
)
def test_an_answer_that_nothing_can_hold_is_blank(first, source):
    node = copy.deepcopy(first.blank)
    node.cells.append(own_code(source))
    restored = restored_from(first, node)
    assert (restored.blank, restored.unclear) == ({"double"}, {})


# Written answers --------------------------------------------------------------------------------


def test_a_written_answer_without_metadata_is_found_where_it_stood(second):
    node = answered(second, reason="Three rows of four.")
    strip(cell_of(node, "reason"))
    restored = restored_from(second, node)
    assert source_of(restored, "reason") == "Three rows of four."
    assert restored.repairs == ["the answer reason was recognized without its cell's metadata"]


def test_all_that_could_be_a_written_answer_is_put_before_the_person_who_grades_it(second):
    node = answered(second, reason="Three rows of four.")
    strip(cell_of(node, "reason"))
    node.cells.insert(index_of(node, "prompt") + 1, markdown("own", "A note to myself."))
    restored = restored_from(second, node)
    assert source_of(restored, "reason") == "A note to myself.\n\nThree rows of four."
    assert restored.blank == set()
    assert set(restored.repairs) == {
        "the written answer reason was not in its cell; what was written beside it was taken for "
        "the answer",
        "2 cells of the written answer reason were joined",
    }


@pytest.mark.parametrize("metadata", [True, False])
def test_a_written_answer_is_known_by_either_of_its_identifiers(second, metadata):
    node = answered(second, reason="Three rows of four.")
    strip(cell_of(node, "reason"), metadata=metadata, identifier=not metadata)
    node.cells.insert(index_of(node, "prompt") + 1, markdown("own", "A note to myself."))
    restored = restored_from(second, node)
    assert source_of(restored, "reason") == "Three rows of four."


def test_only_text_between_its_neighbours_can_be_a_written_answer(second):
    node = answered(second, reason="Three rows of four.")
    strip(cell_of(node, "reason"))
    for cell in (own_code("x = 1"), markdown("own", " ")):
        node.cells.insert(index_of(node, "prompt") + 1, cell)
    note = markdown("own", "A note to myself.")
    node.cells = [note, *node.cells, note]
    assert source_of(restored_from(second, node), "reason") == "Three rows of four."


def test_a_neighbour_that_was_moved_up_hides_no_written_answer(pair):
    node = answered(pair, why="Because.")
    strip(cell_of(node, "why"))
    node.cells.insert(0, node.cells.pop(index_of(node, "between")))
    assert source_of(restored_from(pair, node), "why") == "Because."


@pytest.mark.parametrize("below", [True, False], ids=["below", "above"])
def test_a_written_answer_may_stand_beside_its_blank_cell(second, below):
    node = copy.deepcopy(second.blank)
    node.cells.insert(index_of(node, "reason") + below, markdown("own", "Three rows of four."))
    restored = restored_from(second, node)
    assert source_of(restored, "reason") == "Three rows of four."
    assert (restored.blank, extras_of(restored)) == ({"size"}, [])


def test_a_note_beside_a_written_answer_is_no_answer(second):
    node = answered(second, reason="Three rows of four.")
    node.cells.insert(index_of(node, "reason") + 1, markdown("own", "A note to myself."))
    restored = restored_from(second, node)
    assert source_of(restored, "reason") == "Three rows of four."
    assert [cell.source for cell in extras_of(restored)] == ["A note to myself."]


@pytest.mark.parametrize("cell", ["prompt", "recap"])
def test_a_written_answer_may_have_been_typed_into_the_lessons_text(second, cell):
    node = copy.deepcopy(second.blank)
    cell_of(node, cell).source += " Three rows\nof four."
    restored = restored_from(second, node)
    assert source_of(restored, "reason") == "Three rows\nof four."
    assert (restored.blank, extras_of(restored)) == ({"size"}, [])


@pytest.mark.parametrize(
    ("typed", "answer"),
    [
        ("# Three rows\n# of four.", "Three rows\nof four."),
        ("'Three rows of four.'", "'Three rows of four.'"),
        ("print('Three rows', f'of {4}')", "print('Three rows', f'of {4}')"),
        ("There are three rows of four!", "```\nThere are three rows of four!\n```"),
        ("%%html\n<p>Three ``` rows", "````\n%%html\n<p>Three ``` rows\n````"),
        ("from IPython.display import Image\nImage('a.png')", None),
        ("plt.plot([3, 4])", None),
    ],
)
def test_a_written_answer_may_stand_in_a_code_cell(second, typed, answer):
    node = copy.deepcopy(second.blank)
    node.cells.insert(index_of(node, "reason") + 1, own_code(typed))
    restored = restored_from(second, node)
    assert source_of(restored, "reason") == (answer or f"```\n{typed}\n```")
    assert restored.blank == {"size"}
    assert [cell.source for cell in extras_of(restored)] == [typed]  # it is run as well


def test_code_beside_a_blank_written_answer_is_no_answer(second):
    node = copy.deepcopy(second.blank)
    node.cells.insert(index_of(node, "reason") + 1, own_code("print(table.shape)  # look"))
    assert restored_from(second, node).blank == {"size", "reason"}


def test_a_picture_is_an_answer(second):
    node = copy.deepcopy(second.blank)
    cell_of(node, "reason").attachments = {"image.png": PICTURE}
    restored = restored_from(second, node)
    assert restored.blank == {"size"}
    assert "![image.png](attachment:image.png)" in source_of(restored, "reason")
    assert cell_of(restored.node, "reason").attachments == {"image.png": PICTURE}


def test_a_written_answer_may_be_a_line_of_code(pair):
    restored = restored_from(pair, answered(pair, why="low = 3"))
    assert source_of(restored, "why") == "low = 3"
    assert restored.repairs == []


def test_no_heading_of_a_written_answer_takes_the_place_of_a_question(pair):
    restored = restored_from(pair, answered(pair, why="# why"))
    assert "<h1" in source_of(restored, "why")
    assert 'id="why"' not in source_of(restored, "why")


def test_the_authors_picture_is_not_in_an_answer_that_has_none(pair):
    assert cell_of(pair.node, "why").attachments
    node = answered(pair, why="Because.")
    cell_of(node, "why").pop("attachments", None)
    restored = restored_from(pair, node)
    assert "attachments" not in cell_of(restored.node, "why")


@pytest.mark.parametrize("other", [PICTURE, OTHER_PICTURE], ids=["the same", "another"])
def test_joined_answers_keep_their_pictures(second, other):
    node = answered(second, reason="![](attachment:image.png)")
    at = index_of(node, "reason")
    node.cells[at].attachments = {"image.png": PICTURE}
    node.cells.insert(at + 1, copy.deepcopy(node.cells[at]))
    node.cells[at + 1].source = "And ![](attachment:image.png)"
    node.cells[at + 1].attachments = {"image.png": other}
    kept = cell_of(restored_from(second, node).node, "reason").attachments
    assert list(kept.values()) == ([PICTURE] if other is PICTURE else [PICTURE, other])


def test_a_picture_of_a_students_own_text_is_kept(second):
    node = solved(second)
    own = markdown("own", "![](attachment:image.png)")
    own.attachments = {"image.png": PICTURE}
    node.cells.append(own)
    [extra] = extras_of(restored_from(second, node))
    assert extra.attachments == {"image.png": PICTURE}


def test_all_texts_share_the_time_to_format_them(second, monkeypatch):
    monkeypatch.setattr(restoring, "FORMAT_SECONDS", 0.0)
    node = solved(second)
    node.cells.append(markdown("own", "A *note*."))
    restored = restored_from(second, node)
    assert "<pre>" in extras_of(restored)[0].source
    assert "a text takes too long to be formatted and is shown as it was typed" in restored.repairs


def test_a_note_beside_a_marked_written_answer_stays_a_note(second):
    node = answered(second, reason="Three rows of four.")
    node.cells.insert(index_of(node, "reason") + 1, markdown("own", "A note to myself."))
    restored = restored_from(second, node)
    assert source_of(restored, "reason") == "Three rows of four."
    assert [cell.source for cell in extras_of(restored)] == ["A note to myself."]
    assert restored.repairs == []


def test_a_written_answer_in_two_marked_cells_is_joined(second):
    node = answered(second, reason="Three rows.")
    at = index_of(node, "reason")
    for text in ("Three rows.", "Of four."):
        node.cells.insert(at + 1, copy.deepcopy(node.cells[at]))
        node.cells[at + 1].source = text
    restored = restored_from(second, node)
    assert source_of(restored, "reason") == "Three rows.\n\nOf four."


def test_a_blank_copy_does_not_spoil_a_written_answer(second):
    node = answered(second, reason="Three rows of four.")
    node.cells.insert(index_of(node, "reason"), copy.deepcopy(cell_of(second.blank, "reason")))
    assert source_of(restored_from(second, node), "reason") == "Three rows of four."


def test_each_written_answer_is_looked_for_in_its_own_place(pair):
    node = answered(pair, why="Because.", whence="From there.")
    for name in ("why", "whence"):
        strip(cell_of(node, name))
    restored = restored_from(pair, node)
    assert source_of(restored, "why") == "Because."
    assert source_of(restored, "whence") == "From there."


# Locked cells that were edited ------------------------------------------------------------------


def test_an_edited_locked_cell_is_restored(first):
    node = answered(first, double=ANSWER)
    cell_of(node, "setup").source = "import numpy as np\n\nnumbers = np.zeros(3)"
    restored = restored_from(first, node)
    assert restored.repairs == ["the locked cell setup was changed and was restored"]
    assert not extras_of(restored)


def test_what_was_added_to_a_locked_cell_runs_after_it(first):
    node = answered(first, double=ANSWER)
    cell_of(node, "setup").source += "\nimport math\n\ndef helper(x):\n    return x"
    restored = restored_from(first, node)
    at = index_of(restored.node, "setup")
    added = restored.node.cells[at + 1]
    assert added.source.split() == ["import", "math", "def", "helper(x):", "return", "x"]
    assert restored.repairs == [
        "the locked cell setup was restored; what was added to it runs after it"
    ]


def test_imports_may_be_added_again(first):
    node = answered(first, double=ANSWER)
    cell_of(node, "setup").source += "\nimport numpy as np\nimport math"
    [added] = extras_of(restored_from(first, node))
    assert "import math" in added.source


def test_a_locked_cell_that_lost_a_line_is_restored_and_nothing_is_added(first):
    node = answered(first, double=ANSWER)
    cell_of(node, "setup").source = "import numpy as np"
    restored = restored_from(first, node)
    assert restored.repairs == ["the locked cell setup was changed and was restored"]
    assert not extras_of(restored)


def test_edited_prose_that_is_locked_is_the_lessons_again(second):
    node = solved(second)
    cell_of(node, "prompt").source += " And how."
    restored = restored_from(second, node)
    assert restored.repairs == [
        "the locked cell prompt was restored; what was added to it stands after it"
    ]
    assert [cell.source for cell in extras_of(restored)] == ["And how."]


def test_an_addition_that_replaces_what_the_lesson_defines_is_dropped(first):
    node = answered(first, double=ANSWER)
    cell_of(node, "setup").source += "\nnumbers = None"
    restored = restored_from(first, node)
    assert not extras_of(restored)
    assert restored.repairs == ["the locked cell setup was changed and was restored"]


def test_an_edited_open_cell_runs_after_the_lessons_own(first):
    node = answered(first, double=ANSWER)
    cell_of(node, "demo").source = "print(numbers.mean())"
    restored = restored_from(first, node)
    at = index_of(restored.node, "demo")
    assert restored.node.cells[at].source == "print(numbers.sum())"
    assert restored.node.cells[at + 1].source == "print(numbers.mean())"
    assert restored.repairs == []


def test_edited_prose_is_the_lessons_again(first):
    node = answered(first, double=ANSWER)
    cell_of(node, "title").source += "\n\nMy notes."
    restored = restored_from(first, node)
    assert restored.repairs == []
    assert [cell.source for cell in extras_of(restored)] == ["My notes."]


def test_edited_prose_that_nothing_tells_from_a_students_own_is_kept_beside_the_lessons(first):
    node = answered(first, double=ANSWER)
    cell_of(node, "title").source += "\n\nMy notes."
    strip(cell_of(node, "title"))
    restored = restored_from(first, node)
    assert restored.repairs == []
    assert [cell.source for cell in extras_of(restored)] == [cell_of(node, "").source]


# Extra cells ------------------------------------------------------------------------------------


def test_extra_cells_keep_their_places(first):
    node = solved(first)
    expected = []
    cells = []
    for number, cell in enumerate(node.cells):
        cells += [own_code(f"x = {number}"), cell]
        expected += [f"x = {number}", cell.id]
    node.cells = [*cells, markdown("own", "The end.")]
    restored = restored_from(first, node)
    assert restored.repairs == []
    assert [
        cell.source if cell.id.startswith("extra") else cell.id for cell in restored.node.cells
    ] == [*expected, "The end."]


def test_empty_extra_cells_are_dropped(first):
    node = solved(first)
    node.cells += [own_code(""), markdown("own", " \n")]
    assert not extras_of(restored_from(first, node))


def test_extra_cells_may_have_the_identifiers_of_extra_cells(first):
    node = solved(first)
    for identifier in ("extra-1", "extra", "extra-1"):
        node.cells.append(code(identifier, "x = 1"))
    assert len(extras_of(restored_from(first, node))) == 3


def test_notebook_metadata_is_the_lessons(first):
    node = solved(first)
    node.metadata = nbformat.from_dict({"kernelspec": {"name": "ir"}, "language_info": 3})
    assert restored_from(first, node).node.metadata == first.node.metadata


# Any damage -------------------------------------------------------------------------------------

damages = st.lists(
    st.tuples(
        st.sampled_from(
            [
                "delete",
                "copy",
                "blank-copy",
                "move",
                "strip",
                "strip-all",
                "retype",
                "empty",
                "edit",
                "merge",
                "split",
                "swap",
            ]
        ),
        st.integers(0, 30),
        st.integers(0, 30),
    ),
    max_size=6,
)


def damage(node, blank, kind, i, j):
    """Do one of the things that happen to notebooks to the cells at two places."""
    cells = node.cells
    if not cells:
        return
    i, j = i % len(cells), j % len(cells)
    cell = cells[i]
    if kind == "delete":
        del cells[i]
    elif kind == "copy":
        cells.insert(j, copy.deepcopy(cell))
    elif kind == "blank-copy":
        cells.insert(j, copy.deepcopy(blank.cells[i % len(blank.cells)]))
    elif kind == "move":
        cells.insert(j, cells.pop(i))
    elif kind == "strip":
        strip(cell)
    elif kind == "strip-all":
        for each in cells:
            strip(each, identifier=bool(i % 2))
    elif kind == "retype":
        cell.cell_type = ("code", "markdown", "raw")[j % 3]
    elif kind == "empty":
        cell.source = ""
    elif kind == "edit":
        cell.source += "\nimport this"
    elif kind == "merge" and i + 1 < len(cells):
        cell.source += "\n\n" + cells.pop(i + 1).source
    elif kind == "split":
        lines = cell.source.split("\n")
        tail = copy.deepcopy(cell)
        at = j % len(lines)
        cell.source, tail.source = "\n".join(lines[:at]), "\n".join(lines[at:])
        cells.insert(i + 1, tail)
    elif kind == "swap":
        cell.metadata, cells[j].metadata = cells[j].metadata, cell.metadata


@given(damages, st.booleans(), st.integers(0, 1))
def test_after_any_damage_the_lesson_is_whole_or_the_reason_is_given(
    lesson, damages, is_blank, which
):
    notebook = lesson.notebooks[which]
    node = copy.deepcopy(notebook.blank) if is_blank else solved(notebook)
    for one in damages:
        damage(node, notebook.blank, *one)
    restored = restored_from(notebook, node)
    assert len(set(restored.repairs)) == len(restored.repairs)


# Recognizing a notebook -------------------------------------------------------------------------


def test_a_notebook_is_like_its_own_lesson_and_not_like_another(first, second):
    assert likeness(first, solved(first)) == 1
    assert likeness(second, solved(second)) == 1
    assert likeness(second, solved(first)) < 0.3
    assert likeness(first, notebook_of()) == 0
    assert likeness(first, notebook_of(own_code("x = 1"))) == 0


@pytest.mark.parametrize("metadata", [True, False])
def test_an_answer_is_part_of_the_likeness_by_either_of_its_identifiers(pair, metadata):
    node = solved(pair)
    for cell in node.cells:
        strip(cell, metadata=metadata, identifier=not metadata)
    assert likeness(pair, node) == 1


def test_nothing_is_like_a_notebook_without_cells(tmp_path):
    nbformat.write(notebook_of(), tmp_path / "1_nothing.ipynb")
    assert likeness(load(tmp_path).notebooks[0], notebook_of(own_code("x = 1"))) == 0


def test_no_text_of_a_submission_is_remembered(first):
    restore(first, answered(first, double=ANSWER))
    assert defines.cache_info().currsize == parses.cache_info().currsize == 0


@pytest.mark.parametrize("source", ["\0", "-" * 50_000 + "1", "(" * 5_000], ids=repr)
def test_no_source_is_too_odd_to_be_asked_about(source):
    assert parses(source) in (True, False)


def test_no_more_repairs_are_told_than_people_read(first):
    pairs = Pairing(first, first.blank)
    for number in range(2 * MAX_REPAIRS):
        pairs.note(Kind.COPIED, f"{number}")
        pairs.note(Kind.COPIED, f"{number}")
    assert len(set(pairs.repairs)) == len(pairs.repairs) == MAX_REPAIRS


def test_the_answers_given_are_those_that_are_not_blank(first, second):
    assert answers_given(first, first.blank) == {}
    assert answers_given(first, answered(first, double=ANSWER)) == {"double": ANSWER}
    half = copy.deepcopy(second.blank)
    cell_of(half, "size").source = "size = 12"
    assert answers_given(second, half) == {"size": "size = 12"}


def test_the_lesson_itself_is_never_changed(lesson):
    before = copy.deepcopy(lesson.notebooks[0].node)
    restore(lesson.notebooks[0], solved(lesson.notebooks[0]))
    assert lesson.notebooks[0].node == before == first_notebook()
