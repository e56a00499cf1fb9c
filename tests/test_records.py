"""The record of what became of a submission."""

from __future__ import annotations

import json

import pytest

from autograder import results as records
from autograder.results import NotebookRecord, QuestionRecord, Record

RECORD = Record(
    'jörg [1] "x"',
    "tiny",
    "bubblewrap",
    ["no timestamp"],
    {
        "1_double": NotebookRecord(records.GRADED, file="sub/1_double.ipynb", repairs=["a", "b"]),
        "2_count": NotebookRecord(records.NOT_GRADABLE, "the file is empty", "2_count.ipynb"),
        "3_more": NotebookRecord(records.NOT_SUBMITTED),
    },
    {
        "double": QuestionRecord("1_double", records.GRADED, 2.5, 3.0, ["a row: wrong"], "squares"),
        "size": QuestionRecord("2_count", records.NOT_GRADABLE, None, 1.0),
    },
)


def test_a_record_is_read_as_it_was_written(tmp_path):
    RECORD.write(tmp_path / "new" / "folder")
    assert records.read(tmp_path / "new" / "folder") == RECORD


def test_a_record_replaces_the_one_before(tmp_path):
    RECORD.write(tmp_path)
    Record("jörg", "tiny").write(tmp_path)
    assert records.read(tmp_path) == Record("jörg", "tiny")


def test_writing_leaves_one_file(tmp_path):
    RECORD.write(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [records.FILE]


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
        json.dumps({"student": "a", "assignment": "b", "notebooks": {}, "questions": {}, "new": 1}),
        "\xff",
    ],
)
def test_what_is_no_record_is_read_as_none(tmp_path, text):
    (tmp_path / records.FILE).write_text(text, encoding="latin-1")
    assert records.read(tmp_path) is None


def test_a_missing_record_is_read_as_none(tmp_path):
    assert records.read(tmp_path) is None
    assert records.read(tmp_path / "none") is None
