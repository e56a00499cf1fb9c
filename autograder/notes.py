"""What is said of a submission: repairs and reasons, each with its kind (all processes of ours).

The text of a note may quote what a student wrote or named a file. So a report without names tells
its kind alone, in words that quote nothing.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable
from typing import Any


class Kind(enum.StrEnum):
    """What a note is about."""

    # Why something could not be graded
    NOT_YET = "it has not been graded yet"
    UNKNOWN_STUDENT = "the gradebook does not know the student"
    NO_NOTEBOOK = "no notebook of the lesson was handed in"
    WEB_PAGE = "the file is a web page, not a notebook"
    CONFLICT = "the file contains merge conflict markers"
    EMPTY = "the file is empty"
    TOO_LARGE = "the file is too large"
    TOO_MUCH = "the file holds too much"
    UNREADABLE = "the file cannot be opened"
    LINK = "the folder is a link or not a folder"
    CLOSED_FOLDER = "the folder cannot be opened"
    TWO_FOLDERS = "two folders are called the same"
    NOT_COMPARED = "what a question recorded could not be compared"
    BROKEN = "the file is not a notebook, or a broken one"
    DIFFERENT_ANSWERS = "several files hold different answers"
    ANOTHER_NOTEBOOK = "it holds nothing of this notebook"
    UNCLEAR = "whether a question was answered cannot be told"
    GRADER_FAILED = "the grader failed"
    # What was repaired
    RENAMED = "a file under another name was recognized"
    FURTHER_COPIES = "further copies of the notebook were not graded"
    FILES_LEFT = "files beside the notebooks were left out"
    NO_TIMESTAMP = "no timestamp: it counts as handed in on time"
    BAD_TIMESTAMP = "unreadable timestamp: it counts as handed in on time"
    FORMAT = "another notebook format was read"
    DROPPED = "cells that hold no text were dropped"
    ENCODING = "another text encoding was read"
    COPIED = "cells were copied"
    NOT_CODE = "an answer cell was not a code cell any more"
    DELETED = "cells were deleted and were put back"
    NO_METADATA = "an answer was recognized without its metadata"
    SPLIT = "an answer cell was split and was joined again"
    MERGED = "merged cells were separated"
    MOVED = "an answer stood in another cell and was moved"
    LOCKED = "locked cells were changed and were restored"
    ACTIVE = "parts of a text that act were left out"
    PICTURE = "pictures could not be shown"
    TEXT = "a text could not be shown as it was"
    ORDER = "cells stood in another order and were put back"
    OTHER = "something else; --names tells what"


class Note(str):
    """A sentence for people that knows its kind; it is its text wherever a text is wanted."""

    kind: Kind

    __slots__ = ("kind",)

    def __new__(cls, kind: Kind, text: str) -> Note:
        """Return the note of that kind and text."""
        note = super().__new__(cls, text)
        note.kind = kind
        return note

    def __getnewargs__(self) -> tuple[Any, ...]:
        """Return what a copy is made from."""
        return self.kind, str(self)


def kind_of(text: str) -> Kind:
    """Return the kind of a note; of a plain text, that it is something else."""
    return text.kind if isinstance(text, Note) else Kind.OTHER


NOTHING = Note(Kind.OTHER, "")
"""The note where there is nothing to say."""


def packed(notes: Iterable[str]) -> list[list[str]]:
    """Return notes as JSON keeps them: pairs of a kind's name and a text."""
    return [[kind_of(note).name, str(note)] for note in notes]


def unpacked(pairs: Iterable[Any]) -> list[Note]:
    """Return the notes in such pairs.

    A plain text, as older files have it, is something else, and so is a kind that is not known.

    Raises:
        ValueError: there are other things than pairs and texts.
        TypeError: likewise.
    """
    notes = []
    for pair in pairs:
        name, text = (Kind.OTHER.name, pair) if isinstance(pair, str) else pair
        if not isinstance(text, str):
            raise TypeError("a note without a text")
        notes.append(Note(Kind.__members__.get(name, Kind.OTHER), text))
    return notes
