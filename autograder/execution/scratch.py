"""Make folders for student code, and remove them whatever is in them (grading process)."""

from __future__ import annotations

import contextlib
import itertools
import os
import stat
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

SOCKET_PATH_BYTES = 107 if sys.platform == "linux" else 103
"""The longest path of a Unix socket."""

SOCKET_PATH = "/run/k12345678/s-5"
"""What such a path has below a folder of ours."""

SHORT_FOLDERS = ("/tmp", "/var/tmp", "/dev/shm")
"""Where folders are made whose path would be too long in the folder for temporary files."""

REMOVAL_SECONDS = 60.0
"""After this a folder into which somebody still writes is left as it is."""


def make_folder() -> Path:
    """Make a folder, with a real path that leaves room for a kernel's sockets.

    Raises:
        OSError: no such folder can be made; the text says where and what to do.
    """
    try:
        where = tempfile.gettempdir()
        places = [os.path.realpath(where), *SHORT_FOLDERS]
        usable = [place for place in places if _fits(f"{place}/ag-12345678")]
        if not usable or (sys.platform == "win32"):
            return Path(tempfile.mkdtemp(prefix="ag-")).resolve()
        for place in usable[:-1]:
            with contextlib.suppress(OSError):
                return Path(tempfile.mkdtemp(prefix="ag-", dir=place)).resolve()
        return Path(tempfile.mkdtemp(prefix="ag-", dir=usable[-1])).resolve()
    except OSError as error:
        raise OSError(
            f"no folder for temporary files can be made ({error}); make room, or set TMPDIR to "
            "a folder that can be written to"
        ) from error


def _fits(folder: str) -> bool:
    """Whether sockets in ``folder`` have paths that all libraries write alike, and short ones."""
    path = os.fsencode(folder + SOCKET_PATH)
    try:
        return len(path) <= SOCKET_PATH_BYTES and path == (folder + SOCKET_PATH).encode()
    except UnicodeEncodeError:  # a name that is not UTF-8
        return False


def remove_tree(top: Path) -> bool:
    """Remove a folder, however deep, wide or locked, without following a link.

    No path in it is ever long: what is deep is moved up first. So neither the depth of the
    recursion nor the length of a path bounds what can be removed.

    Returns:
        Whether it is gone.
    """
    deadline = time.monotonic() + REMOVAL_SECONDS
    with contextlib.suppress(OSError):
        _unlock(top)
        heap = Path(tempfile.mkdtemp(prefix="ag-", dir=top))  # a name that nobody has prepared
        numbers = itertools.count()
        _empty(top, heap, numbers, deadline)
        while folders := _some_in(heap):
            for folder in folders:
                _empty(folder, heap, numbers, deadline)
                folder.rmdir()
        heap.rmdir()
        top.rmdir()
    return not os.path.lexists(top)


def _unlock(folder: Path) -> None:
    if not stat.S_ISLNK(folder.lstat().st_mode):
        folder.chmod(0o700)


def _some_in(folder: Path, beside: Path | None = None) -> list[Path]:
    """Return some of what is in ``folder``, but not ``beside``; all that there is if few."""
    with os.scandir(folder) as found:
        paths = (Path(entry.path) for entry in found)
        return list(itertools.islice((path for path in paths if path != beside), 1000))


def _empty(folder: Path, heap: Path, numbers: Iterator[int], deadline: float) -> None:
    """Remove the files in ``folder``, and move the folders in it to ``heap``.

    Raises:
        OSError: something cannot be removed, or not in time.
    """
    while paths := _some_in(folder, heap):
        if time.monotonic() > deadline:
            raise TimeoutError(f"{folder} cannot be emptied in time")
        for path in paths:
            if stat.S_ISDIR(path.lstat().st_mode):
                _unlock(path)  # only what can be written to can be moved
                path.rename(heap / str(next(numbers)))
            else:
                path.unlink()
