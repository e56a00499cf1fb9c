"""Make folders for student code (grading process)."""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
from pathlib import Path

SOCKET_PATH_BYTES = 107 if sys.platform == "linux" else 103
"""The longest path of a Unix socket."""

SOCKET_PATH = "/run/k12345678/s-5"
"""What such a path has below a folder of ours."""

SHORT_FOLDERS = ("/tmp", "/var/tmp", "/dev/shm")
"""Where folders are made whose path would be too long in the folder for temporary files."""


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
