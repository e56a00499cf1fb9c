"""Notes: texts that know their kind."""

from __future__ import annotations

import copy
import json
import pickle

import pytest

from autograder.notes import Kind, Note, kind_of, packed, unpacked

NOTE = Note(Kind.WEB_PAGE, "the file is a web page (HTML), not a notebook")


def test_a_note_is_its_text():
    assert NOTE == "the file is a web page (HTML), not a notebook"
    assert f"1_double: {NOTE}".endswith("not a notebook")
    assert json.dumps([NOTE]) == '["the file is a web page (HTML), not a notebook"]'


@pytest.mark.parametrize(
    "copied", [copy.copy, copy.deepcopy, lambda n: pickle.loads(pickle.dumps(n))]
)
def test_a_copy_has_the_kind_too(copied):
    assert (copied(NOTE), kind_of(copied(NOTE))) == (NOTE, Kind.WEB_PAGE)


def test_notes_are_kept_as_pairs_and_texts_of_older_files_are_something_else():
    found = unpacked([*json.loads(json.dumps(packed([NOTE]))), "an older text"])
    assert [(text, kind_of(text)) for text in found] == [
        (NOTE, Kind.WEB_PAGE),
        ("an older text", Kind.OTHER),
    ]


def test_no_kind_quotes_anything():
    assert all(not set(kind) & set("{}%'\"") for kind in Kind)
    assert len({*Kind}) == len(Kind)
