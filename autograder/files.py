"""Read what students handed in, within limits and through no link, and write files whole.

Everything in the grading process that opens a file below ``submitted/`` does it here. A student may
hand in links to other people's work, pipes and devices that block a reader for ever, files without
end and folders without number.
"""

from __future__ import annotations

import errno
import fnmatch
import itertools
import os
import stat
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from autograder.notes import NOTHING, Kind, Note
from autograder.sanitize.text import printable

MAX_ENTRIES = 20_000
"""The most files and folders of one submission that are looked at."""

MAX_DEPTH = 30
"""The deepest folder of one submission that is looked into."""

_FLAGS = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
# On Windows a file is otherwise opened as text.
_FLAGS |= getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)


class NotReadable(Exception):
    """A file or folder that is not read; the message is one phrase that says why."""

    kind = Kind.UNREADABLE


class TooLarge(NotReadable):
    """A file beyond the limit of its size."""

    kind = Kind.TOO_LARGE


def read_bytes(path: Path, limit: int) -> bytes:
    """Return the content of an ordinary file of at most ``limit`` bytes.

    Raises:
        NotReadable: it is something else, larger, or cannot be opened.
    """
    try:
        descriptor = os.open(path, _FLAGS)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.EMLINK):
            raise NotReadable("it is a link") from error
        if error.errno == errno.ENXIO:  # a socket
            raise NotReadable("it is not an ordinary file") from error
        raise NotReadable(f"it cannot be opened ({error.strerror})") from error
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise NotReadable("it is not an ordinary file")
        if status.st_size <= limit:
            with os.fdopen(os.dup(descriptor), "rb") as stream:
                content = stream.read(limit + 1)
            if len(content) <= limit:
                return content
    except OSError as error:
        raise NotReadable(f"it cannot be read ({error.strerror})") from error
    finally:
        os.close(descriptor)
    raise TooLarge(f"it is larger than {in_words(limit)}")


def in_words(size: int) -> str:
    """Return a number of bytes for people: ``100 MiB``, ``4 KiB`` or ``12 bytes``."""
    for unit, name in ((2**20, "MiB"), (2**10, "KiB")):
        if size >= unit:
            return f"{size / unit:.3g} {name}"
    return f"{size} bytes"


@dataclass
class Listing:
    """What lies in and below a folder."""

    files: list[Path] = field(default_factory=list)
    """Ordinary files, those nearest the top first, by folder and name."""
    others: list[Path] = field(default_factory=list)
    """Links, pipes, sockets and devices."""
    complete: bool = True
    """Whether no limit was reached and every folder could be opened."""


def listing(folder: Path, ignore: Iterable[str] = ()) -> Listing:
    """Return what lies in and below ``folder``, as far as the limits of this module reach.

    Args:
        folder: the folder; nothing is found if it is missing, a link or not a folder.
        ignore: patterns of the names to leave out, of files and of folders with all they hold.
    """
    patterns = list(ignore)
    found = Listing()
    level = [folder] if is_folder(folder) else []
    left = MAX_ENTRIES
    for _ in range(MAX_DEPTH):
        below: list[Path] = []
        for place in level:
            try:
                with os.scandir(place) as entries:
                    taken = list(itertools.islice(entries, left + 1))
            except OSError:
                found.complete = False
                continue
            if len(taken) > left:  # there is at least one too many
                found.complete = False
                del taken[left:]
            left -= len(taken)
            for entry in sorted(taken, key=lambda entry: entry.name):
                if any(fnmatch.fnmatch(entry.name, pattern) for pattern in patterns):
                    continue
                path = place / entry.name
                if entry.is_dir(follow_symlinks=False):
                    below.append(path)
                elif entry.is_file(follow_symlinks=False):
                    found.files.append(path)
                else:
                    found.others.append(path)
        level = below
    found.complete &= not level
    return found


def is_folder(path: Path) -> bool:
    """Return whether a path is a folder, and no link to one."""
    try:
        return stat.S_ISDIR(os.lstat(path).st_mode)
    except OSError:
        return False


def obstacle(folder: Path, top: Path) -> Note:
    """Return why a submission's folder must not be opened; empty if it may be.

    Args:
        folder: the submission's folder.
        top: the folder of all submissions, below which no link is followed.
    """
    place = top
    for part in folder.relative_to(top).parts:
        place /= part
        name = printable(str(place.relative_to(top)), line=True)
        try:
            mode = os.lstat(place).st_mode
        except OSError as error:
            return Note(
                Kind.CLOSED_FOLDER, f"the folder {name} cannot be opened ({error.strerror})"
            )
        if stat.S_ISLNK(mode):
            return Note(
                Kind.LINK,
                f"the folder {name} is a link; put the files that were handed in there instead",
            )
        if not stat.S_ISDIR(mode):
            return Note(
                Kind.LINK, f"{name} is not a folder; put the files that were handed in into one"
            )
    try:
        os.scandir(folder).close()
    except OSError as error:
        name = printable(str(folder.relative_to(top)), line=True)
        return Note(Kind.CLOSED_FOLDER, f"the folder {name} cannot be opened ({error.strerror})")
    return NOTHING


def write_whole(file: Path, text: str) -> None:
    """Write a UTF-8 text into a file at once or not at all; makes its folder.

    Raises:
        OSError: it cannot be written; an older file is as it was.
    """
    file.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=file.parent, prefix=".ag-", suffix=".tmp")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as stream:
            stream.write(text)
        os.chmod(name, 0o666 & ~_umask())
        os.replace(name, file)
    except BaseException:
        os.unlink(name)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
