"""Notes: texts that know their kind."""

from __future__ import annotations

import copy
import json
import pickle
import re

import pytest
from support.lessons import ROOT

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


def test_a_kind_of_a_later_version_is_something_else():
    [found] = unpacked([["NOT_YET_THOUGHT_OF", "a text"]])
    assert (found, kind_of(found)) == ("a text", Kind.OTHER)


@pytest.mark.parametrize("pair", [[], ["EMPTY"], ["EMPTY", 3], ["EMPTY", "a", "b"], 3, None, {}])
def test_what_is_no_note_is_not_taken_for_one(pair):
    with pytest.raises((TypeError, ValueError)):
        unpacked([pair])


def test_every_kind_is_made_somewhere_and_none_is_something_else():
    """Does each sentence know its kind? That it has one is proved by mypy: makers return notes."""
    made = {
        name
        for path in (ROOT / "autograder").rglob("*.py")
        if path.name != "notes.py"
        for name in re.findall(r"\bKind\.([A-Z_]+)", path.read_text(encoding="utf-8"))
    }
    assert {*Kind.__members__} - made == {"OTHER"}
