"""Remove whatever student code left (grading process, and server in a sandbox).

No path in a folder is ever long: what is deep is moved up first. So neither the depth of the
recursion nor the length of a path bounds what can be removed.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import stat
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

REMOVAL_SECONDS = 60.0
"""After this a folder into which somebody still writes is left as it is."""


def remove_tree(top: Path, seconds: float = REMOVAL_SECONDS) -> bool:
    """Remove a folder, however deep, wide or locked, without following a link.

    Returns:
        Whether it is gone.
    """
    if empty_folder(top, seconds):
        with contextlib.suppress(OSError):
            top.rmdir()
    return not os.path.lexists(top)


def empty_folder(top: Path, seconds: float = REMOVAL_SECONDS) -> bool:
    """Remove all that is in a folder, however deep, wide or locked, without following a link.

    Returns:
        Whether nothing is in it.
    """
    deadline = time.monotonic() + seconds
    try:
        _unlock(top)
        heap = Path(tempfile.mkdtemp(prefix="ag-", dir=top))  # a name that nobody has prepared
        numbers = itertools.count()
        _empty(top, heap, numbers, deadline)
        while folders := _some_in(heap):
            for folder in folders:
                _empty(folder, heap, numbers, deadline)
                folder.rmdir()
        heap.rmdir()
    except OSError:
        return False
    return True


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
