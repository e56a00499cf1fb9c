"""Finding a lesson's notebooks among the files that a student handed in."""

from __future__ import annotations

import copy
import io
import os
import zipfile

import nbformat
import pytest
from support.answers import answered, cell_of, solved, strip_all
from support.lessons import notebook_of

from autograder.notes import Kind
from autograder.submission import find as submission
from autograder.submission.find import digest, find_notebooks
from autograder.submission.read import read_notebook

ANSWER = "def double(numbers):\n    return 2 * numbers"
OTHER = "def double(numbers):\n    return numbers + numbers"

WEB_PAGE = "<!DOCTYPE html><html><body>Please sign in</body></html>"


@pytest.fixture
def hand_in(lesson, tmp_path):
    """Writes the given files into a folder and finds the notebooks among them."""

    def hand_in(files):
        folder = tmp_path / "submitted"
        folder.mkdir()
        for name, content in files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if isinstance(content, bytes):
                path.write_bytes(content)
            elif isinstance(content, str):
                path.write_text(content)
            else:
                nbformat.write(content, path)
        found = find_notebooks(lesson, folder)
        for one in found.values():
            one.top = folder
        return found

    return hand_in


@pytest.fixture
def good(first, second):
    return {"1_double.ipynb": answered(first, double=ANSWER), "2_count.ipynb": solved(second)}


def texts(found):
    assert found.gradable
    return [cell.source for cell in read_notebook(found.top / found.file)[0].cells]


def test_notebooks_with_the_right_names_need_no_repair(hand_in, good):
    found = hand_in({**good, "timestamp.txt": "2026-01-15 12:00:00 UTC", "data.csv": "1,2"})
    assert list(found) == ["1_double", "2_count"]
    for name, one in found.items():
        assert one.gradable
        assert (one.file, one.repairs, one.reason) == (f"{name}.ipynb", [], "")


def test_a_notebook_that_was_not_handed_in_has_neither_file_nor_reason(hand_in, good):
    del good["2_count.ipynb"]
    found = hand_in(good)["2_count"]
    assert (found.file, found.reason) == ("", "")


@pytest.mark.parametrize(
    "name",
    [
        "Copy of 1_double (1).ipynb",
        "1_Double.IPYNB",
        "1_double.ipynb.json",
        "1_double.ipynb.txt",
        "2_other.ipynb",
        "müller's [final] 1_double*.ipynb",
        "week 3/1_double.ipynb",
        "a/b/c/anything.ipynb",
    ],
)
def test_a_renamed_notebook_is_recognized_by_its_content(hand_in, good, name):
    good[name] = good.pop("1_double.ipynb")
    found = hand_in(good)["1_double"]
    assert found.gradable
    assert found.repairs == [f"the file {name} was recognized as 1_double.ipynb"]


def test_a_renamed_notebook_without_metadata_is_recognized(hand_in, good):
    good["work.ipynb"] = strip_all(good.pop("1_double.ipynb"))
    assert ANSWER in texts(hand_in(good)["1_double"])


def test_notebooks_with_swapped_names_are_told_by_their_content(hand_in, good):
    first, second = good["1_double.ipynb"], good["2_count.ipynb"]
    found = hand_in({"1_double.ipynb": second, "2_count.ipynb": first})
    assert ANSWER in texts(found["1_double"])
    assert found["1_double"].repairs == ["the file 2_count.ipynb was recognized as 1_double.ipynb"]
    assert found["2_count"].repairs == ["the file 1_double.ipynb was recognized as 2_count.ipynb"]


# Archives ---------------------------------------------------------------------------------------


def zipped(files):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as made:
        for name, content in files.items():
            made.writestr(name, content if isinstance(content, str) else nbformat.writes(content))
    return stream.getvalue()


@pytest.mark.parametrize("inside", ["", "homework/", "../../", "/tmp/", "C:\\work\\"])
def test_the_notebooks_in_an_archive_are_found(hand_in, good, inside):
    files = {inside + name: node for name, node in good.items()}
    found = hand_in({"Work.ZIP": zipped({**files, "__MACOSX/._1_double.ipynb": "\0\5"})})
    assert ANSWER in texts(found["1_double"])
    assert found["2_count"].gradable
    [repair] = found["1_double"].repairs
    assert repair.startswith("the file Work.ZIP/")


def test_what_else_is_in_an_archive_is_named(hand_in, good):
    found = hand_in({"a.zip": zipped({**good, "helper.py": "x = 1", "data/x.csv": "1"})})
    assert "other files of the archive were left out: a.zip/helper.py, a.zip/data/x.csv" in (
        found["1_double"].repairs
    )


def test_a_notebook_beside_an_archive_counts_like_any_copy(hand_in, good, first):
    other = {"1_double.ipynb": answered(first, double=OTHER)}
    found = hand_in({**good, "a.zip": zipped(other)})
    assert found["1_double"].file == "1_double.ipynb"


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"PK not really", "it is not a zip archive, or a broken one"),
        (b"", "it is not a zip archive, or a broken one"),
        (zipped({"notes.txt": "x"}), None),
        (zipped({"1_double.ipynb": "x"})[:-30], "it is not a zip archive, or a broken one"),
    ],
)
def test_an_archive_that_is_none_is_named(hand_in, content, reason):
    found = hand_in({"a.zip": content})["1_double"]
    assert not found.gradable
    reason = f"a.zip: {reason}" if reason else "the folder holds a.zip"
    assert found.reason == f"no notebook of the lesson was handed in; {reason}"


def test_no_more_of_an_archive_is_unpacked_than_a_notebook_may_hold(hand_in, good, monkeypatch):
    monkeypatch.setattr("autograder.submission.read.MAX_FILE_BYTES", 100_000)
    good["1_double.ipynb"] = " " * 200_000
    content = zipped(good)
    assert len(content) < 20_000
    found = hand_in({"a.zip": content})
    assert found["2_count"].gradable
    assert found["1_double"].reason == "it is larger than 97.7 KiB"


def test_a_file_that_says_it_is_small_is_not_believed(hand_in, good, monkeypatch):
    monkeypatch.setattr("autograder.submission.read.MAX_FILE_BYTES", 100_000)
    content = bytearray(zipped({"1_double.ipynb": " " * 200_000}))
    size = (200_000).to_bytes(4, "little")
    while (at := content.find(size)) >= 0:
        content[at : at + 4] = (50).to_bytes(4, "little")
    assert not hand_in({"a.zip": bytes(content)})["1_double"].gradable


def test_a_locked_archive_says_so(hand_in):
    content = bytearray(zipped({"1_double.ipynb": "{}"}))
    content[6] |= 1
    content[content.find(b"PK\1\2") + 8] |= 1
    found = hand_in({"a.zip": bytes(content)})["1_double"]
    assert "password" in found.reason
    assert "1_double.ipynb" in found.file


@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("1_double.pdf", "a PDF"),
        ("1_Double.HTML", "a web page (HTML)"),
        ("1_double (final).py", "a Python program"),
        ("1_double.odt", "not a notebook"),
        ("a.zip/1_double.pdf", "a PDF"),
    ],
)
def test_a_notebook_that_was_printed_is_not_gradable(hand_in, good, name, what):
    del good["1_double.ipynb"]
    inside = name.startswith("a.zip/")
    found = hand_in(
        {**good, "a.zip": zipped({"1_double.pdf": "%PDF"})} if inside else {**good, name: "%PDF"}
    )
    assert found["2_count"].gradable
    assert found["1_double"].reason.startswith(f"the file is {what}")
    assert found["1_double"].reason.endswith("hand in the notebook itself, a file .ipynb")
    assert found["1_double"].file == name


@pytest.mark.parametrize("name", ["1_doubles.pdf", "notes.pdf", "1_double_plot.png"])
def test_another_file_is_no_notebook(hand_in, good, name):
    del good["1_double.ipynb"]
    found = hand_in({**good, name: "x"})["1_double"]
    assert (found.file, found.reason) == ("", "")


# Copies -----------------------------------------------------------------------------------------


def test_of_several_copies_the_one_with_the_right_name_counts(hand_in, good, first):
    copies = {
        "1_double-Copy1.ipynb": answered(first, double=OTHER),
        "old/1_double.ipynb": answered(first, double=OTHER),
    }
    found = hand_in({**good, **copies})["1_double"]
    assert ANSWER in texts(found)
    assert found.repairs == [
        "further copies were not graded: 1_double-Copy1.ipynb, old/1_double.ipynb"
    ]


def test_a_blank_notebook_with_the_right_name_does_not_override_an_answered_copy(
    hand_in, good, first
):
    good["1_double-Copy1.ipynb"] = good["1_double.ipynb"]
    good["1_double.ipynb"] = copy.deepcopy(first.blank)
    found = hand_in(good)["1_double"]
    assert ANSWER in texts(found)
    assert found.repairs == [
        "further copies were not graded: 1_double.ipynb",
        "the file 1_double-Copy1.ipynb was recognized as 1_double.ipynb",
    ]


def test_the_copy_that_answers_more_counts(hand_in, second):
    """A right name alone makes no notebook the one that was meant."""
    found = hand_in(
        {"2_count.ipynb": answered(second, reason=""), "2_count (1).ipynb": solved(second)}
    )["2_count"]
    assert found.file == "2_count (1).ipynb"
    assert len(found.repairs) == 2


def test_an_answer_that_was_begun_is_less_than_one_that_was_finished(hand_in, first):
    begun = cell_of(first.blank, "double").source + "\n    # 2 * numbers?"
    files = {
        "1_double.ipynb": answered(first, double=begun),
        "1_double-Copy1.ipynb": answered(first, double=ANSWER),
    }
    assert hand_in(files)["1_double"].file == "1_double-Copy1.ipynb"


def test_copies_that_each_answer_something_else_are_not_gradable(hand_in, second):
    found = hand_in(
        {
            "2_count.ipynb": answered(second, reason=""),
            "2_count-Copy1.ipynb": answered(second, size=""),
        }
    )["2_count"]
    assert found.reason.kind is Kind.DIFFERENT_ANSWERS


def test_copies_with_different_answers_are_not_gradable(hand_in, good, first):
    del good["1_double.ipynb"]
    copies = {"a.ipynb": answered(first, double=ANSWER), "b.ipynb": answered(first, double=OTHER)}
    found = hand_in({**good, **copies})["1_double"]
    assert not found.gradable
    assert found.reason == "a.ipynb and b.ipynb hold different answers; hand in one of them"


def test_copies_with_the_same_answers_are_one(hand_in, good):
    good["a.ipynb"] = good.pop("1_double.ipynb")
    good["b.ipynb"] = good["a.ipynb"]
    found = hand_in(good)["1_double"]
    assert ANSWER in texts(found)
    assert found.file == "a.ipynb"


def test_blank_copies_alone_are_a_blank_submission(hand_in, good, first):
    del good["1_double.ipynb"]
    found = hand_in({**good, "a.ipynb": first.blank, "b.ipynb": first.blank})["1_double"]
    assert found.gradable
    assert found.file == "a.ipynb"


def test_a_readable_copy_stands_for_an_unreadable_notebook(hand_in, good):
    good["1_double-Copy1.ipynb"] = good["1_double.ipynb"]
    good["1_double.ipynb"] = WEB_PAGE
    assert ANSWER in texts(hand_in(good)["1_double"])


# Nothing usable ---------------------------------------------------------------------------------


def test_an_unreadable_notebook_costs_itself_alone(hand_in, good):
    good["1_double.ipynb"] = WEB_PAGE
    found = hand_in(good)
    assert not found["1_double"].gradable
    assert found["1_double"].file == "1_double.ipynb"
    assert found["1_double"].reason == "the file is a web page (HTML), not a notebook"
    assert found["2_count"].gradable


def test_a_strange_notebook_with_the_right_name_is_not_gradable(hand_in, good):
    good["1_double.ipynb"] = notebook_of(nbformat.v4.new_code_cell("print('hello')"))
    found = hand_in(good)["1_double"]
    assert (found.gradable, found.reason) == (False, "it holds nothing of this notebook")


@pytest.mark.parametrize(
    ("files", "reason"),
    [
        ({}, "no notebook of the lesson was handed in; the folder holds nothing"),
        (
            {"timestamp.txt": "now", "submission_secret.txt": "0f"},
            "no notebook of the lesson was handed in; the folder holds nothing",
        ),
        (
            {"answers.docx": "x", "b.txt": "y"},
            "no notebook of the lesson was handed in; the folder holds answers.docx, b.txt",
        ),
        (
            {"work.ipynb": WEB_PAGE},
            "no notebook of the lesson was handed in; "
            "work.ipynb: the file is a web page (HTML), not a notebook",
        ),
        (
            {"a/b.txt": "x"},
            "no notebook of the lesson was handed in; the folder holds a",
        ),
    ],
)
def test_a_submission_without_a_notebook_says_what_it_holds(hand_in, files, reason):
    for found in hand_in(files).values():
        assert (found.gradable, found.reason) == (False, reason)


def test_a_strange_notebook_alone_is_not_gradable(hand_in):
    found = hand_in({"work.ipynb": notebook_of(nbformat.v4.new_code_cell("print('hello')"))})
    for one in found.values():
        assert one.reason == (
            "no notebook of the lesson was handed in; the folder holds work.ipynb"
        )


# What is not looked at --------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    [
        ".ipynb_checkpoints/1_double-checkpoint.ipynb",
        "__MACOSX/1_double.ipynb",
        "._1_double.ipynb",
        ".git/1_double.ipynb",
    ],
)
def test_what_tools_leave_behind_is_not_handed_in(hand_in, good, first, name):
    found = hand_in({**good, name: answered(first, double=OTHER)})["1_double"]
    assert ANSWER in texts(found)
    assert found.repairs == []


def test_links_are_not_followed(lesson, tmp_path, first):
    outside, folder = tmp_path / "outside", tmp_path / "submitted"
    outside.mkdir()
    folder.mkdir()
    nbformat.write(answered(first, double=OTHER), outside / "1_double.ipynb")
    (folder / "1_double.ipynb").symlink_to(outside / "1_double.ipynb")
    (folder / "more").symlink_to(outside)
    assert not find_notebooks(lesson, folder)["1_double"].gradable


def test_a_folder_with_the_name_of_a_notebook_is_no_notebook(hand_in, good):
    good["1_double.ipynb/1_double.ipynb"] = good.pop("1_double.ipynb")
    assert hand_in(good)["1_double"].file == "1_double.ipynb/1_double.ipynb"


def test_a_flood_of_files_does_not_hide_the_notebooks(hand_in, good, monkeypatch):
    monkeypatch.setattr(submission, "MAX_FILES", 5)
    found = hand_in({**{f"0_{i}.ipynb": WEB_PAGE for i in range(10)}, **good})
    assert found["1_double"].gradable
    assert found["2_count"].gradable


# Whether a submission has changed ---------------------------------------------------------------


def made(folder):
    """Make a submission with a data file and return its digest."""
    (folder / "data").mkdir(parents=True)
    (folder / "1_double.ipynb").write_text("{}", encoding="utf-8")
    (folder / "data" / "words.txt").write_text("dog", encoding="utf-8")
    return digest(folder, ["junk*"], limit=100)


def add_a_file(folder):
    (folder / "new.txt").touch()


def change_a_file(folder):
    (folder / "data" / "words.txt").write_text("god", encoding="utf-8")


def rename_a_file(folder):
    (folder / "data" / "words.txt").rename(folder / "data" / "world.txt")


def move_a_file(folder):
    (folder / "data" / "words.txt").rename(folder / "words.txt")


def delete_a_file(folder):
    (folder / "1_double.ipynb").unlink()


def replace_a_file_by_a_link(folder):
    (folder / "1_double.ipynb").rename(folder.parent / "elsewhere")
    (folder / "1_double.ipynb").symlink_to(folder.parent / "elsewhere")


@pytest.mark.parametrize(
    "change",
    [
        add_a_file,
        change_a_file,
        rename_a_file,
        move_a_file,
        delete_a_file,
        replace_a_file_by_a_link,
    ],
)
def test_a_digest_changes_with_the_files(tmp_path, change):
    before = made(tmp_path / "submitted")
    change(tmp_path / "submitted")
    assert digest(tmp_path / "submitted", ["junk*"], limit=100) != before


def test_a_digest_stays_when_the_same_files_come_again(tmp_path):
    before = made(tmp_path / "submitted")
    assert made(tmp_path / "again") == before
    (tmp_path / "again" / "junk_of_an_editor").touch()
    (tmp_path / "again" / "1_double.ipynb").chmod(0o600)
    assert digest(tmp_path / "again", ["junk*"], limit=100) == before


def test_a_digest_reads_neither_pipes_nor_large_files(tmp_path):
    made(tmp_path)
    os.mkfifo(tmp_path / "pipe")  # reading it would wait forever
    large = tmp_path / "large"
    large.write_bytes(b"a" * 100)
    before = digest(tmp_path, [], limit=100)
    large.write_bytes(b"b" * 100)
    assert digest(tmp_path, [], limit=100) == before
    large.write_bytes(b"b" * 101)
    assert digest(tmp_path, [], limit=100) != before


def test_the_digest_of_an_unusual_name_can_be_had(tmp_path):
    folder = tmp_path / "submitted"
    before = made(folder)
    with open(os.fsencode(folder) + b"/\xff.txt", "wb"):
        pass
    assert digest(folder, [], limit=100) != before
