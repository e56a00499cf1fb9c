"""Notebook files as editors, tools and mail programs leave them."""

from __future__ import annotations

import contextlib
import json

import nbformat
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.answers import solved
from support.lessons import first_notebook

from autograder.submission import read as reading
from autograder.submission.read import UnreadableNotebook, read_notebook
from autograder.submission.restore import restore

TEXT = json.dumps(
    {
        "cells": [
            {"cell_type": "markdown", "id": "a", "metadata": {}, "source": "# Fünf – schöne"},
            {"cell_type": "code", "id": "b", "metadata": {}, "source": ["x = 1\n", "y = 2"]},
        ],
        "metadata": {},
        "nbformat": 4,
        "nbformat_minor": 5,
    },
    ensure_ascii=False,
    indent=1,
)


@pytest.fixture
def read(tmp_path):
    """Reads a notebook from the bytes, or from the JSON of an object."""

    def read(content):
        path = tmp_path / "any.ipynb"
        raw = content if isinstance(content, bytes) else json.dumps(content).encode()
        path.write_bytes(raw)
        return read_notebook(path)

    return read


def notebook(**changes):
    return {**json.loads(TEXT), **changes}


def sources(node):
    return [cell.source for cell in node.cells]


# Encodings and line ends ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("raw", "repairs"),
    [
        (TEXT.encode(), []),
        (TEXT.replace("\n", "\r\n").encode(), []),
        (TEXT.replace("\n", "\r").encode(), []),
        (TEXT.encode("utf-8-sig"), ["a byte-order mark was removed"]),
        (TEXT.encode("utf-16"), ["UTF-16 encoding was removed"]),
        (b"\xfe\xff" + TEXT.encode("utf-16-be"), ["UTF-16 encoding was removed"]),
        (TEXT.encode("utf-16-le"), ["UTF-16 encoding was read"]),
        (TEXT.encode("utf-16-be"), ["UTF-16 encoding was read"]),
        (TEXT.encode("utf-32"), ["UTF-32 encoding was removed"]),
        (TEXT.encode("cp1252"), ["the file was not UTF-8 and was read as Windows-1252"]),
    ],
    ids=[
        "utf-8",
        "crlf",
        "cr",
        "bom",
        "utf-16",
        "utf-16-be",
        "utf-16-le-bare",
        "utf-16-be-bare",
        "utf-32",
        "cp1252",
    ],
)
def test_a_file_is_read_in_any_encoding(read, raw, repairs):
    node, found = read(raw)
    assert sources(node) == ["# Fünf – schöne", "x = 1\ny = 2"]
    assert found == repairs


@pytest.mark.parametrize("end", ["\r\n", "\r"])
def test_line_ends_inside_a_cell_become_plain(read, end):
    node, _ = read(notebook(cells=[{"cell_type": "code", "source": f"a{end}b"}]))
    assert sources(node) == ["a\nb"]


def test_a_solved_notebook_is_restored_without_a_repair_after_any_line_ends(read, first):
    text = nbformat.writes(solved(first))
    node, repairs = read(text.replace("\\n", "\\r\\n").replace("\n", "\r\n").encode())
    restored = restore(first, node)
    assert repairs + restored.repairs == []
    assert sources(restored.node) == sources(restore(first, solved(first)).node)


# Formats ----------------------------------------------------------------------------------------


def test_a_notebook_of_format_3_is_converted(read):
    old = nbformat.convert(first_notebook(), 3)
    node, repairs = read(nbformat.writes(old, version=3).encode())
    assert repairs == ["notebook format 3 was converted to format 4"]
    assert sources(node) == sources(first_notebook())
    assert node.cells[4].metadata.nbgrader.grade_id == "double"


@pytest.mark.parametrize(
    ("major", "minor", "shown"),
    [(4, 99, "4.99"), (5, 0, "5.0"), (None, None, "None.None"), (4, "5", "4.5")],
)
def test_other_versions_are_read_as_far_as_they_go(read, major, minor, shown):
    node, repairs = read(notebook(nbformat=major, nbformat_minor=minor))
    assert repairs == [f"notebook format {shown} was read as format 4"]
    assert (node.nbformat, node.nbformat_minor) == (4, 5)
    assert len(node.cells) == 2


@pytest.mark.parametrize("minor", [0, 2, 4, 5])
def test_older_minor_versions_need_no_repair(read, minor):
    cells = [{"cell_type": "code", "metadata": {}, "source": "x"}]
    assert read(notebook(cells=cells, nbformat_minor=minor))[1] == []


def test_a_version_that_is_nonsense_makes_no_long_message(read):
    _, repairs = read(notebook(nbformat=["x" * 1000] * 100, nbformat_minor={"a": 1}))
    assert len(" ".join(repairs)) < 500


# Cells ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ({}, ("markdown", "", {}, "")),
        ({"cell_type": "code"}, ("code", "", {}, "")),
        ({"cell_type": "heading", "source": "a"}, ("markdown", "a", {}, "")),
        ({"cell_type": ["code"], "source": "a"}, ("markdown", "a", {}, "")),
        ({"cell_type": "raw", "source": "a", "metadata": None}, ("raw", "a", {}, "")),
        ({"cell_type": "code", "source": "a", "metadata": [1]}, ("code", "a", {}, "")),
        ({"cell_type": "code", "source": "a", "id": 3}, ("code", "a", {}, "")),
        ({"cell_type": "code", "source": ["a\n", "b"], "id": "x"}, ("code", "a\nb", {}, "x")),
        ({"cell_type": "code", "source": "\ud800"}, ("code", "\\ud800", {}, "")),
        ({"cell_type": "code", "source": "a", "outputs": "x"}, ("code", "a", {}, "")),
    ],
)
def test_a_cell_is_read_with_what_it_has(read, cell, expected):
    node, _ = read(notebook(cells=[cell]))
    [one] = node.cells
    assert (one.cell_type, one.source, one.metadata, one.id) == expected


@pytest.mark.parametrize("cell", [None, 3, "text", [], {"source": 3}, {"source": ["a", 3]}])
def test_a_cell_without_text_is_dropped_and_said(read, cell):
    node, repairs = read(notebook(cells=[cell, {"cell_type": "code", "source": "x"}]))
    assert sources(node) == ["x"]
    assert repairs == ["cells that hold no text were dropped"]


@pytest.mark.parametrize("metadata", [None, [], "x", 3])
def test_metadata_that_is_none_is_left_out(read, metadata):
    assert read(notebook(metadata=metadata))[0].metadata == {}


# What is not a notebook -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b"", "the file is empty"),
        (b" \n\t\r\n", "the file is empty"),
        (b"\0" * 1000, "the file is empty"),
        (b"\xef\xbb\xbf", "the file is "),
        (b"<!DOCTYPE html><html>", "the file is a web page (HTML), not a notebook"),
        (b"\n <HTML lang='de'>", "the file is a web page (HTML), not a notebook"),
        (
            TEXT.replace('"cells"', '\n<<<<<<< HEAD\n"cells"').encode(),
            "the file contains merge conflict markers (<<<<<<<)",
        ),
        (
            b"{\r\n<<<<<<< HEAD\r\n}",
            "the file contains merge conflict markers (<<<<<<<)",
        ),
        (b"x = 1\n", "the file is not JSON (Expecting value: line 1 column 1 (char 0))"),
        (TEXT.encode()[:-20], "the file is not JSON ("),
        (b"%PDF-1.7\n\x80\x81", "the file is not JSON ("),
        (b"PK\x03\x04\x80", "the file is not JSON ("),
        (b"\xff\xfe\x00", "UTF-16"),
        (b"[]", "the file is JSON, but not a notebook"),
        (b"3", "the file is JSON, but not a notebook"),
        (b"{}", "the file is JSON, but has no list of cells"),
        (b'{"cells": {}}', "the file is JSON, but has no list of cells"),
        (b'{"cells": null, "worksheets": 1}', "the file is JSON, but has no list of cells"),
        (b'{"worksheets": [3]}', "its old notebook format cannot be converted"),
        (b"[" * 100_000, "the file is nested too deeply to be a notebook"),
        (b'{"cells": [' + b"[" * 50_000 + b"]" * 50_000 + b"]}", "nested too deeply"),
    ],
)
def test_what_is_not_a_notebook_is_named(read, raw, message):
    with pytest.raises(UnreadableNotebook) as caught:
        read(raw)
    assert message in str(caught.value)
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize("depth", [100, 400, 600, 900])
@pytest.mark.parametrize("place", ["notebook", "cell", "list"])
def test_deep_metadata_is_read_or_refused(read, depth, place):
    deep = json.loads('{"a":' * depth + "1" + "}" * depth)
    if place == "list":
        deep = {"a": json.loads("[" * depth + "]" * depth)}
    content = notebook(metadata=deep)
    if place == "cell":
        content = notebook(cells=[{"cell_type": "code", "source": "x", "metadata": deep}])
    try:
        with contextlib.suppress(UnreadableNotebook):
            read(content)
    except RecursionError:
        pytest.fail("the reader recurses as deeply as the file asks for")


def test_a_folder_or_a_missing_file_is_named(tmp_path):
    with pytest.raises(UnreadableNotebook, match="it is not an ordinary file"):
        read_notebook(tmp_path)
    with pytest.raises(UnreadableNotebook, match="it cannot be opened"):
        read_notebook(tmp_path / "none.ipynb")


def test_a_file_that_is_too_large_is_not_read(tmp_path, monkeypatch):
    monkeypatch.setattr(reading, "MAX_FILE_BYTES", 2**20)
    path = tmp_path / "large.ipynb"
    path.write_bytes(b" " * (2**20 + 1))
    with pytest.raises(UnreadableNotebook, match="it is larger than 1 MiB"):
        read_notebook(path)


# Anything at all --------------------------------------------------------------------------------

json_values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=8)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=8,
)
fields = [
    "cell_type",
    "source",
    "metadata",
    "id",
    "outputs",
    "nbgrader",
    "worksheets",
    "input",
    "level",
]
cells = st.one_of(json_values, st.dictionaries(st.sampled_from(fields), json_values))
contents = st.one_of(
    st.binary(max_size=60),
    st.text(max_size=60).map(str.encode),
    st.builds(
        lambda key, cells, rest: json.dumps({**rest, key: cells}).encode(),
        st.sampled_from(["cells", "worksheets"]),
        st.lists(
            st.one_of(cells, st.fixed_dictionaries({"cells": st.lists(cells, max_size=3)})),
            max_size=4,
        ),
        st.dictionaries(st.sampled_from(["metadata", "nbformat", "nbformat_minor"]), json_values),
    ),
)


@pytest.fixture(scope="module")
def any_file(tmp_path_factory):
    return tmp_path_factory.mktemp("reading") / "any.ipynb"


@given(contents)
def test_any_file_is_read_as_a_valid_notebook_or_refused(any_file, content):
    any_file.write_bytes(content)
    try:
        node, _ = read_notebook(any_file)
    except UnreadableNotebook:
        return
    for cell in node.cells:
        assert cell.cell_type in ("code", "markdown", "raw")
        assert isinstance(cell.source, str)
        assert "\r" not in cell.source
        assert isinstance(cell.metadata, dict)
        assert isinstance(cell.id, str)
