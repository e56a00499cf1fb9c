"""Reading below ``submitted/``: ordinary files, within limits, through no link."""

from __future__ import annotations

import os
import socket

import pytest

from autograder import files
from autograder.files import NotReadable, in_words, listing, obstacle, read_bytes


def a_link(path):
    (path.parent / "target").write_bytes(b"secret")
    path.symlink_to(path.parent / "target")


def a_socket(path):
    here = os.getcwd()
    os.chdir(path.parent)  # the path of a socket must be short
    with socket.socket(socket.AF_UNIX) as one:
        one.bind(path.name)
    os.chdir(here)


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (a_link, "it is a link"),
        (lambda path: path.symlink_to("/dev/zero"), "it is a link"),
        (os.mkfifo, "it is not an ordinary file"),
        (os.mkdir, "it is not an ordinary file"),
        (a_socket, "it is not an ordinary file"),
        (lambda path: path.write_bytes(b"x" * 11), "it is larger than 10 bytes"),
        (lambda path: None, "it cannot be opened"),
    ],
)
def test_what_is_no_ordinary_file_or_too_large_is_not_read(tmp_path, make, reason):
    make(tmp_path / "file")
    with pytest.raises(NotReadable, match=reason):
        read_bytes(tmp_path / "file", 10)


def test_a_file_that_just_fits_is_read(tmp_path):
    (tmp_path / "file").write_bytes(b"x" * 10)
    assert read_bytes(tmp_path / "file", 10) == b"x" * 10


def test_a_listing_has_ordinary_files_those_near_the_top_first(tmp_path):
    for name in ("b.txt", "a/z.txt", "a/b/y.txt", "junk/x.txt"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    (tmp_path / "a" / "up").symlink_to(tmp_path)
    os.mkfifo(tmp_path / "pipe")
    found = listing(tmp_path, ["junk*"])
    assert [str(path.relative_to(tmp_path)) for path in found.files] == [
        "b.txt",
        "a/z.txt",
        "a/b/y.txt",
    ]
    assert {path.name for path in found.others} == {"up", "pipe"}
    assert found.complete


@pytest.mark.parametrize(("limit", "complete"), [(5, True), (4, False)])
def test_a_listing_ends_at_its_limit_and_says_so(tmp_path, monkeypatch, limit, complete):
    monkeypatch.setattr(files, "MAX_ENTRIES", limit)
    for number in range(5):
        (tmp_path / str(number)).touch()
    found = listing(tmp_path)
    assert (len(found.files), found.complete) == (limit, complete)


def test_a_listing_does_not_go_down_for_ever(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "MAX_DEPTH", 3)
    (tmp_path / "1" / "2" / "3").mkdir(parents=True)
    for folder in ("1", "1/2", "1/2/3"):
        (tmp_path / folder / "file").touch()
    found = listing(tmp_path)
    assert [path.parent.name for path in found.files] == ["1", "2"]
    assert not found.complete


def test_a_link_or_a_file_in_the_place_of_a_folder_is_named(tmp_path):
    good = tmp_path / "s01" / "tiny"
    good.mkdir(parents=True)
    (tmp_path / "s02").symlink_to("s01")
    (tmp_path / "s03").mkdir()
    (tmp_path / "s03" / "tiny").symlink_to(good)
    (tmp_path / "s04").mkdir()
    (tmp_path / "s04" / "tiny").touch()
    assert obstacle(good, tmp_path) == ""
    assert "the folder s02 is a link" in obstacle(tmp_path / "s02" / "tiny", tmp_path)
    assert "the folder s03/tiny is a link" in obstacle(tmp_path / "s03" / "tiny", tmp_path)
    assert "s04/tiny is not a folder" in obstacle(tmp_path / "s04" / "tiny", tmp_path)
    assert "s05 cannot be opened" in obstacle(tmp_path / "s05" / "tiny", tmp_path)
    assert listing(tmp_path / "s02" / "tiny").files == []


def test_sizes_are_told_in_words():
    assert [in_words(size) for size in (12, 4096, 100 * 2**20)] == ["12 bytes", "4 KiB", "100 MiB"]
