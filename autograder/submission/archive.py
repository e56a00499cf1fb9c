"""Read notebooks in a zip archive as if it were a folder, without unpacking it (desk process).

A file in an archive has the archive's path and its own name below it. Nothing is written, names are
never followed, and no more is unpacked than a notebook may hold.
"""

from __future__ import annotations

import io
import os
import re
import stat
import zipfile
import zlib
from pathlib import Path

from autograder.files import NotReadable, TooLarge, in_words, read_bytes

MAX_ARCHIVE_BYTES = 50 * 2**20
"""The largest archive that is opened."""

MAX_MEMBERS = 1_000
"""The most files of an archive that are looked at."""


def is_archive(path: Path) -> bool:
    """Return whether a file's name says that it is a zip archive."""
    return path.name.lower().endswith(".zip")


def files_in(archive: Path) -> list[Path]:
    """Return the paths of the files in an archive, without folders.

    Raises:
        NotReadable: it is no archive, or too large.
    """
    with _opened(archive) as opened:
        return [_path(archive, info) for info in _members(opened)]


def size(path: Path) -> int:
    """Return the size of a file in bytes, in an archive or not.

    Raises:
        OSError: there is no such file.
        NotReadable: it cannot be had from its archive.
    """
    archive = _archive_of(path)
    if archive is None:
        return path.lstat().st_size
    with _opened(archive) as opened:
        return _member(opened, archive, path).file_size


def read(path: Path, limit: int) -> bytes:
    """Return the content of an ordinary file of at most ``limit`` bytes, in an archive or not.

    Raises:
        NotReadable: it is something else, larger, or cannot be opened.
    """
    archive = _archive_of(path)
    if archive is None:
        return read_bytes(path, limit)
    try:
        with _opened(archive) as opened:
            member = _member(opened, archive, path)
            if member.flag_bits & 1:
                raise NotReadable("its archive is locked by a password")
            with opened.open(member) as stream:
                content = stream.read(limit + 1)
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError) as error:
        raise NotReadable(
            f"it cannot be read from its archive ({str(error)[:100] or 'it is broken'})"
        ) from error
    if len(content) > limit:
        raise TooLarge(f"it is larger than {in_words(limit)}")
    return content


def _archive_of(path: Path) -> Path | None:
    """Return the archive in which a path lies, if any."""
    for parent in reversed(path.parents):
        try:
            if is_archive(parent) and stat.S_ISREG(os.lstat(parent).st_mode):
                return parent
        except OSError:
            return None
    return None


def _opened(archive: Path) -> zipfile.ZipFile:
    content = read_bytes(archive, MAX_ARCHIVE_BYTES)
    try:
        return zipfile.ZipFile(io.BytesIO(content))
    except (zipfile.BadZipFile, NotImplementedError, ValueError) as error:
        raise NotReadable("it is not a zip archive, or a broken one") from error


def _members(opened: zipfile.ZipFile) -> list[zipfile.ZipInfo]:
    return [info for info in opened.infolist() if not info.is_dir()][:MAX_MEMBERS]


def _path(archive: Path, info: zipfile.ZipInfo) -> Path:
    """Return the path of a file in an archive, which lies below the archive whatever its name."""
    parts = [part for part in re.split(r"[/\\]", info.filename) if part not in ("", ".", "..")]
    return archive.joinpath(*(part.replace("\0", "") or "_" for part in parts))


def _member(opened: zipfile.ZipFile, archive: Path, path: Path) -> zipfile.ZipInfo:
    for info in _members(opened):
        if _path(archive, info) == path:
            return info
    raise NotReadable("it is not in its archive")
