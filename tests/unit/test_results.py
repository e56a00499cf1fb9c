"""The record of what became of a submission."""

from __future__ import annotations

import json
from dataclasses import asdict

import pytest

from autograder.notes import Kind, Note, kind_of
from autograder.results import (
    REPORT_FILE,
    NotebookResult,
    QuestionResult,
    Status,
    SubmissionResult,
    read_result,
)

RECORD = SubmissionResult(
    'jörg [1] "x"',
    "tiny",
    "bubblewrap",
    [Note(Kind.NO_TIMESTAMP, "no timestamp")],
    {
        "1_double": NotebookResult(
            Status.GRADED,
            file="sub/1_double.ipynb",
            repairs=[Note(Kind.SPLIT, "a"), Note(Kind.MERGED, "b")],
        ),
        "2_count": NotebookResult(
            Status.NOT_GRADABLE, Note(Kind.EMPTY, "the file is empty"), "2_count.ipynb"
        ),
        "3_more": NotebookResult(Status.NOT_SUBMITTED),
    },
    {
        "double": QuestionResult("1_double", Status.GRADED, 2.5, 3.0, ["a row: wrong"], "squares"),
        "size": QuestionResult("2_count", Status.NOT_GRADABLE, None, 1.0),
    },
)


def test_a_record_is_read_as_it_was_written(tmp_path):
    RECORD.write(tmp_path / "new" / "folder")
    assert read_result(tmp_path / "new" / "folder") == RECORD


def kinds(record):
    """Return the kinds of all notes of a record that is like `RECORD`."""
    first, second = record.notebooks["1_double"], record.notebooks["2_count"]
    problems = [problem for each in record.questions.values() for problem in each.problems]
    return [kind_of(n) for n in [*record.notes, *first.repairs, second.reason, *problems]]


def test_a_record_keeps_the_kinds_of_its_notes(tmp_path):
    RECORD.write(tmp_path)
    kept = [Kind.NO_TIMESTAMP, Kind.SPLIT, Kind.MERGED, Kind.EMPTY, Kind.OTHER]
    assert kinds(read_result(tmp_path)) == kinds(RECORD) == kept


def test_a_record_of_an_older_version_has_texts_whose_kind_is_something_else(tmp_path):
    (tmp_path / REPORT_FILE).write_text(json.dumps(asdict(RECORD)), encoding="utf-8")
    assert read_result(tmp_path) == RECORD
    assert set(kinds(read_result(tmp_path))) == {Kind.OTHER}


def test_a_record_replaces_the_one_before(tmp_path):
    RECORD.write(tmp_path)
    SubmissionResult("jörg", "tiny").write(tmp_path)
    assert read_result(tmp_path) == SubmissionResult("jörg", "tiny")


def test_writing_leaves_one_file(tmp_path):
    RECORD.write(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [REPORT_FILE]


def test_what_was_not_gradable_is_known_with_its_reason():
    assert RECORD.not_gradable == {"2_count": "the file is empty"}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "null",
        "3",
        "{}",
        '{"student": "a", "assignment": "b", "notebooks": [], "questions": {}}',
        '{"student": "a", "assignment": "b", "notebooks": {"n": 3}, "questions": {}}',
        '{"student": "a", "assignment": "b", "notebooks": {"n": {}}, "questions": {}}',
        '{"student": "a", "assignment": "b", "notebooks": {}, "questions": {}, "notes": [[]]}',
        json.dumps({"student": "a", "assignment": "b", "notebooks": {}, "questions": {}, "new": 1}),
        "\xff",
    ],
)
def test_what_is_no_record_is_read_as_none(tmp_path, text):
    (tmp_path / REPORT_FILE).write_text(text, encoding="latin-1")
    assert read_result(tmp_path) is None


def test_a_missing_record_is_read_as_none(tmp_path):
    assert read_result(tmp_path) is None
    assert read_result(tmp_path / "none") is None
