"""A small class, as it was handed in and as nbgrader's own command grades it."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.grading import copy_class, make_class, run


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The class as it was handed in."""
    return make_class(tmp_path_factory.mktemp("made") / "course")


@pytest.fixture(scope="session")
def stock(made: Path) -> Path:
    """The class as `nbgrader autograde` grades it, into SQLite, and its grades."""
    root = copy_class(made, "stock")
    run(root, "nbgrader", "autograde", "tiny", status=1)
    run(root, "nbgrader", "export")
    return root
