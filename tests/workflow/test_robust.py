"""One student's name or file never stops a class, and the machine's fault is never a student's."""

from __future__ import annotations

import csv
import os
import shutil
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest
from nbformat.notebooknode import NotebookNode
from support.answers import cell_of
from support.grading import run
from support.lessons import DOUBLE_CHECK, first_notebook, second_notebook, write_course

from autograder.authoring.build import release
from autograder.course import load_course, student_id
from examples import answers

pytestmark = [pytest.mark.slow]


def a_class(root: Path, *students: str, first: NotebookNode | None = None) -> Path:
    """Make a course in which students have handed in perfect submissions."""
    course = load_course(
        write_course(
            root / "course", {"1_double": first or first_notebook(), "2_count": second_notebook()}
        )
    )
    release(course, "tiny")
    for student in students:
        folder = course.root / "submitted" / student / "tiny"
        answers.submission(course.lesson("tiny")).write(folder)
    return course.root


def exported(root: Path) -> dict[str, dict[str, dict[str, str]]]:
    run(root, "nbgrader", "export")
    found: dict[str, dict[str, dict[str, str]]] = {}
    with (root / "grades.csv").open(newline="", encoding="utf-8") as stream:
        for row in csv.DictReader(stream):
            found.setdefault(row["student_id"], {})[row["question"]] = row
    return found


def test_names_that_no_file_can_hold_are_graded_and_shown_with_escapes(tmp_path):
    names = [
        "s01",
        os.fsdecode(b"caf\xe9"),
        "e\u0301le\u0300ve",
        "\x1b[31mred",
        "two\nlines",
        "\u202etxt",
    ]
    root = a_class(tmp_path, *names)
    _, out, err = run(root, "nbgrader", "autograde", "tiny")
    for command in (
        ("nbgrader", "generate_feedback", "tiny"),
        ("autograder.commands.cli", "report", "tiny", "--names"),
        ("autograder.commands.cli", "grade", "tiny", "--force", "--jobs", "2"),
    ):
        _, more_out, more_err = run(root, *command)
        out, err = out + more_out, err + more_err
    assert "\x1b[31mred" not in out + err
    assert "Traceback" not in out + err
    found = exported(root)
    assert set(found) == {student_id(name) for name in names}
    assert {"caf\\xe9", "élève", "\\x1b[31mred", "two\\nlines", "\\u202etxt"} < set(found)
    for student, rows in found.items():
        assert rows["double"]["score"] == "3", student
        assert (root / "feedback" / student / "tiny" / "1_double.html").is_file()


def test_formgrader_lists_a_class_with_odd_names_and_timestamps(tmp_path):
    root = a_class(tmp_path, "s01", os.fsdecode(b"caf\xe9"), "two\nlines")
    os.mkfifo(root / "submitted" / "s01" / "tiny" / "timestamp.txt")
    (root / "submitted" / "s02").mkdir()
    (root / "submitted" / "s02" / "tiny").symlink_to("../s01/tiny")
    text = """
from autograder.course import load_course
from nbgrader.apps.api import NbGraderAPI
from pathlib import Path
import json
course = load_course(Path.cwd())
api = NbGraderAPI(config=course.config)
found = api.get_submissions("tiny")
assert json.dumps(found).encode()
assert api.get_assignment("tiny")["num_submissions"] == len(found)
print([one["student"] for one in found], len(api.get_students()))
"""
    for command, autograded in (("list", False), ("autograde", True)):
        if command == "autograde":
            run(root, "nbgrader", "autograde", "tiny", status=1)
        done = subprocess.run(
            [sys.executable, "-W", "ignore", "-c", text],
            cwd=root,
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        assert done.returncode == 0, done.stderr
        assert "['caf\\\\xe9', 's01', 's02', 'two\\\\nlines']" in done.stdout, autograded


def test_two_ways_to_write_one_name_are_refused_until_one_is_left(tmp_path):
    root = a_class(tmp_path, "é", "e\u0301")
    run(root, "nbgrader", "autograde", "tiny", status=1)
    rows = exported(root)
    assert set(rows) == {"é"}
    assert rows["é"]["double"]["status"] == "not gradable"
    assert "two folders are called é" in rows["é"]["double"]["reason"]
    shutil.rmtree(root / "submitted" / "e\u0301")
    run(root, "nbgrader", "autograde", "tiny")
    assert exported(root)["é"]["double"]["score"] == "3"


def test_links_below_submitted_earn_nothing_and_a_pipe_stops_nobody(tmp_path):
    root = a_class(tmp_path, "s01", "s02", "s03")
    top = root / "submitted"
    for student in ("s04", "s05"):
        (top / student).mkdir()
    (top / "s04" / "tiny").symlink_to("../s01/tiny")
    (top / "s06").symlink_to("s01")
    (top / "s05" / "tiny").symlink_to("../../lessons/tiny")
    os.mkfifo(top / "s02" / "tiny" / "timestamp.txt")
    (top / "s03" / "tiny" / "timestamp.txt").symlink_to("/dev/zero")
    run(root, "nbgrader", "autograde", "tiny", status=1)
    rows = exported(root)
    for student in ("s04", "s05", "s06"):
        assert rows[student]["double"]["status"] == "not gradable"
        assert "is a link" in rows[student]["double"]["reason"]
    for student in ("s01", "s02", "s03"):
        assert rows[student]["double"]["score"] == "3"


def test_an_older_gradebook_is_one_sentence_and_is_left_alone(tmp_path):
    root = a_class(tmp_path, "s01")
    run(root, "nbgrader", "autograde", "tiny")
    with sqlite3.connect(root / "gradebook.db") as book:
        book.execute("ALTER TABLE notebook DROP COLUMN kernelspec")
        book.execute("ALTER TABLE student DROP COLUMN lms_user_id")
        book.execute("UPDATE alembic_version SET version_num = 'b6d005d67074'")
    book.close()
    before = {path: path.read_bytes() for path in root.rglob("*.ipynb")}
    shutil.copy(root / "gradebook.db", tmp_path)
    for command in (
        ("nbgrader", "autograde", "tiny", "--force"),
        ("nbgrader", "generate_feedback", "tiny"),
        ("nbgrader", "export"),
        ("autograder.commands.cli", "grade", "tiny"),
        ("autograder.commands.cli", "report", "tiny"),
    ):
        _, out, err = run(root, *command, status=2)
        assert "nbgrader db upgrade" in out + err, command
        assert "Traceback" not in out + err, command
        assert "SELECT" not in out + err, command
    assert {path: path.read_bytes() for path in root.rglob("*.ipynb")} == before
    assert not (root / "grades.csv").exists()


SLOW = DOUBLE_CHECK.replace(
    "known_answers(\n",
    """def _summary(result):
    while result.size and result.flat[0] == 3:
        pass
    return result


known_answers(
    summary={"a summary that can take for ever": _summary},
""",
).replace(
    "probe(\n    double,",
    """probe(
    double,
    case("a summary that can take for ever", np.ones(3)),""",
)


def test_an_authors_summary_that_does_not_end_costs_its_question_alone(tmp_path):
    first = first_notebook()
    cell_of(first, "double_check").source = SLOW.rstrip("\n")
    root = a_class(tmp_path, "s01", "s02", first=first)
    file = root / "submitted" / "s01" / "tiny" / "1_double.ipynb"
    text = file.read_text(encoding="utf-8")
    assert "return numbers * 2" in text
    file.write_text(text.replace("return numbers * 2", "return numbers * 3"), encoding="utf-8")
    with (root / "nbgrader_config.py").open("a", encoding="utf-8") as config:
        config.write("\nc.Desk.seconds = 1\n")
    start = time.monotonic()
    run(root, "nbgrader", "autograde", "tiny", status=1)
    assert time.monotonic() - start < 120
    rows = exported(root)
    assert rows["s01"]["double"]["status"] == "not gradable"
    assert "takes more than 1 s" in rows["s01"]["double"]["reason"]
    assert rows["s01"]["size"]["score"] == "1"
    assert rows["s02"]["double"]["score"] == "3"
    _, out, _ = run(root, "autograder.commands.cli", "grade", "tiny", status=1)
    assert "s01: not gradable: 1_double, double" in out
