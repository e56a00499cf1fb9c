"""Folders for student code: short paths, and gone afterwards whatever is in them."""

from __future__ import annotations

import os
import socket
import tempfile
from pathlib import Path

import pytest

from autograder.execution import scratch
from autograder.execution.scratch import SOCKET_PATH, SOCKET_PATH_BYTES, make_folder
from autograder.kernel.removal import remove_tree


def test_a_folder_deeper_than_any_path_is_removed(tmp_path, monkeypatch):
    top = tmp_path / "top"
    top.mkdir()
    monkeypatch.chdir(top)
    for _ in range(60):
        os.mkdir("d" * 200)
        os.chdir("d" * 200)
    Path("file.txt").write_text("at the bottom")
    os.chdir(tmp_path)
    assert remove_tree(top)
    assert list(tmp_path.iterdir()) == []


def test_what_is_locked_linked_or_no_file_is_removed_and_links_are_not_followed(tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "kept.txt").write_text("kept")
    top = tmp_path / "top"
    (top / "locked" / "in").mkdir(parents=True)
    (top / "locked" / "in" / "file.txt").write_text("x")
    (top / "link").symlink_to(outside)
    (top / "locked" / "link").symlink_to(outside)
    for number in range(2100):
        (top / f"{number}.txt").touch()
    os.mkfifo(top / "pipe")
    with socket.socket(socket.AF_UNIX) as unix:
        unix.bind(os.path.relpath(top / "socket"))
    for path in (top / "locked" / "in", top / "locked", top):
        path.chmod(0)
    assert remove_tree(top)
    assert [path.name for path in tmp_path.iterdir()] == ["outside"]
    assert (outside / "kept.txt").read_text() == "kept"


def test_a_folder_that_is_gone_already_is_no_error(tmp_path):
    assert remove_tree(tmp_path / "never there")


@pytest.mark.parametrize("name", ["x" * 120, "caf\udce9"], ids=["too long", "not UTF-8"])
def test_where_sockets_can_have_no_path_a_folder_is_made_elsewhere(name, tmp_path, monkeypatch):
    place = tmp_path / name
    place.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    made = make_folder()
    try:
        assert not made.is_relative_to(place)
        assert len(os.fsencode(f"{made}{SOCKET_PATH}")) <= SOCKET_PATH_BYTES
    finally:
        made.rmdir()


def test_a_folder_is_made_at_its_real_path(monkeypatch):
    with tempfile.TemporaryDirectory(prefix="é") as name:  # not pytest's, which may be too long
        top = Path(name)
        (top / "real é").mkdir()
        (top / "link").symlink_to("real é")
        monkeypatch.setattr(tempfile, "tempdir", str(top / "link"))
        assert make_folder().parent == (top / "real é").resolve()
        monkeypatch.undo()


def test_no_folder_at_all_is_said_with_what_to_do(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "gone"))
    monkeypatch.setattr(scratch, "SHORT_FOLDERS", ())
    with pytest.raises(OSError, match="set TMPDIR"):
        make_folder()
