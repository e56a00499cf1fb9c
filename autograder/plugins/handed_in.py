"""The files of a submission beside its notebooks, and its timestamp (grading process)."""

from __future__ import annotations

import datetime
import os
import shutil
import typing
from pathlib import Path

from nbgrader.utils import parse_utc

from autograder.files import listing, read_bytes
from autograder.notes import Kind, Note
from autograder.sanitize.text import printable

MAX_EXTRA_BYTES, MAX_EXTRA_FILES = 100 * 2**20, 1_000
"""The most that the other files of one submission may hold; the rest is not copied."""

TIMESTAMP = "timestamp.txt"
"""The file in which nbgrader's exchange keeps when a submission was handed in."""

MAX_TIMESTAMP = 100
"""The longest text of such a file, in bytes."""


def copy_files(source: Path, destination: Path, ignore: list[str]) -> list[str]:
    """Copy the ordinary files below ``source`` but notebooks and what is there already.

    Returns:
        The names of those that were left out: they did not fit, or are not ordinary files.
    """
    found = listing(source, [*ignore, "*.ipynb"])
    left = [f"{_name(path, source)} (not an ordinary file)" for path in found.others]
    room = MAX_EXTRA_BYTES
    for number, path in enumerate(found.files):
        target = destination / path.relative_to(source)
        if os.path.lexists(target):
            continue
        try:
            size = path.lstat().st_size
            if size > room or number >= MAX_EXTRA_FILES:
                left.append(f"{_name(path, source)} (too large or too many)")
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target, follow_symlinks=False)
            room -= size
        except OSError as error:
            left.append(f"{_name(path, source)} ({error.strerror})")
    return left


def _name(path: Path, folder: Path) -> str:
    return printable(str(path.relative_to(folder)), line=True)


def read_timestamp(folder: Path) -> tuple[datetime.datetime | None, Note | None]:
    """Return when a submission was handed in, in UTC, and what is wrong with its timestamp."""
    file = folder / TIMESTAMP
    late = "it counts as handed in on time"
    if not os.path.lexists(file):
        return None, Note(Kind.NO_TIMESTAMP, f"the submission has no timestamp; {late}")
    try:
        text = read_bytes(file, MAX_TIMESTAMP).decode("utf-8").strip()
        return typing.cast("datetime.datetime", parse_utc(text)), None
    except Exception:  # the parser of dates may raise anything
        return None, Note(Kind.BAD_TIMESTAMP, f"the submission's timestamp cannot be read; {late}")
