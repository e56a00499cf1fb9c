"""The pages of docs/, followed word by word."""

from __future__ import annotations

import ast
import csv
import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from dataclasses import dataclass
from pathlib import Path

import nbformat
import pytest
from support.answers import cell_of
from support.lessons import ROOT

from autograder.authoring.build import copy_course
from autograder.course import Course, load_course
from examples import answers

pytestmark = pytest.mark.slow

BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Block:
    """A block of code on a page."""

    kind: str
    text: str
    before: str
    """The paragraph above it."""


def blocks(page: str) -> list[Block]:
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    found = []
    for match in BLOCK.finditer(text):
        before = text[: match.start()].strip().split("\n\n")[-1]
        found.append(Block(match[1], match[2], " ".join(before.split())))
    return found


def shell(commands: str, folder: Path, status: int = 0) -> str:
    """Run commands as a reader types them and return what they print."""
    scripts = str(Path(sys.executable).parent)
    done = subprocess.run(
        ["bash", "-e", "-u", "-c", commands],
        cwd=folder,
        env={**os.environ, "PATH": os.pathsep.join([scripts, os.environ["PATH"]])},
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert done.returncode == status, f"{commands}\n{done.stdout}\n{done.stderr}"
    return done.stdout + done.stderr


# What students read -----------------------------------------------------------------------------


def texts(folder: Path) -> set[str]:
    """Return all pieces of text in the Python code of a folder."""
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in folder.rglob("*.py")]
    return {
        node.value
        for tree in trees
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }


def test_the_messages_that_students_look_up_are_those_that_they_get():
    page = (
        (ROOT / "docs" / "learn.md").read_text(encoding="utf-8").split("## On the feedback page")[1]
    )
    rows = re.findall(r"^\| (.+?) \| .+ \|$", page, re.MULTILINE)
    messages = [row for row in rows if row != "You read"]
    assert len(messages) >= 12
    known = "\0".join(texts(ROOT / "autograder"))
    template = ROOT / "autograder" / "plugins" / "templates" / "lesson_feedback" / "index.html.j2"
    known += template.read_text(encoding="utf-8")
    for message in messages:
        for piece in re.split(r"…|(?<=:) |1(?=\))", message):
            assert piece.strip() in known, message


# Writing a lesson -------------------------------------------------------------------------------

CELL = re.compile(r"cell, `(\w+)`[.:]")


def fill(path: Path, sources: dict[str, str]) -> None:
    """Put sources into the cells of a notebook."""
    node = nbformat.read(path, as_version=4)
    for identifier, source in sources.items():
        cell_of(node, identifier).source = source.rstrip("\n")
    nbformat.write(node, path)


@pytest.fixture(scope="module")
def author(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The course of someone who has followed docs/author.md up to the build."""
    root = tmp_path_factory.mktemp("author")
    shutil.copy(ROOT / "nbgrader_config.py", root)
    start, *rest = [block for block in blocks("author.md") if block.kind == "sh"]
    shell(start.text, root)
    sources = {
        match[1]: block.text
        for block in blocks("author.md")
        if block.kind == "python" and (match := CELL.search(block.before))
    }
    assert set(sources) == {"center", "center_check", "mean_shape", "mean_shape_check"}
    notebook = root / "lessons" / "lesson5_rows" / "1_rows.ipynb"
    shell("autograder check", root)  # it is a lesson from the start
    fill(notebook, sources)
    check, build, *_ = rest
    said = shell(check.text, root)
    assert "subtracts the mean of each column" in said
    assert "full marks: a matrix product" in said
    shell(build.text, root)
    return root


def test_an_author_who_follows_the_page_gets_a_graded_lesson(author):
    root = author
    wrong = next(b for b in blocks("author.md") if "answer for `center`" in b.before)
    *_, hand_in = [block for block in blocks("author.md") if block.kind == "sh"]
    copies, grading = hand_in.text.split("autograder grade")
    shell(copies, root)
    copy = root / "submitted" / "s02" / "lesson5_rows" / "1_rows.ipynb"
    fill(copy, {"center": wrong.text, "mean_shape": "mean_shape = (4,)"})
    shell("autograder grade" + grading, root)
    with (root / "grades.csv").open(encoding="utf-8", newline="") as file:
        rows = {(row["student_id"], row["question"]): row for row in csv.DictReader(file)}
    assert {row["max_score"] for (_, q), row in rows.items() if q == "center"} == {"3"}
    assert [rows["s01", name]["score"] for name in ("center", "mean_shape")] == ["0", "0"]
    assert rows["s01", "center"]["reason"] == "Not answered yet."
    assert [rows["s02", name]["score"] for name in ("center", "mean_shape")] == ["0", "1"]
    assert rows["s02", "center"]["mistake"] == "subtracts the mean of each column"
    page = root / "feedback" / "s02" / "lesson5_rows" / "1_rows.html"
    assert "subtracts the mean of each column" in page.read_text(encoding="utf-8")


def test_a_weak_check_is_refused_in_the_words_of_the_page(author, tmp_path):
    root = tmp_path / "weak"
    shutil.copytree(author, root)
    path = root / "lessons" / "lesson5_rows" / "1_rows.ipynb"
    check = cell_of(nbformat.read(path, as_version=4), "center_check").source
    [one] = [b.text.strip() for b in blocks("author.md") if "in their place" in b.before]
    cases = [
        line
        for line in check.split("\n")
        if line.startswith('    case("') and "penalty" not in line
    ]
    assert len(cases) == 2
    weak = check.replace("\n".join(cases), f"    {one},")
    assert weak != check
    fill(path, {"center_check": weak})
    said = " ".join(shell("autograder build lesson5_rows", root, status=1).split())
    [expected] = [b.text for b in blocks("author.md") if b.kind == "text"]
    for line in expected.strip().split("\n"):
        assert line in said
    assert "Nothing was built" in said


# Teaching a term --------------------------------------------------------------------------------

LESSON = "lesson4_learned_positions"
WRONG = "chaffs/add_positions__rows_by_batch.py"
STUDENTS = "id,first_name,last_name,email\ns01,,,\ns02,,,\ns03,,,\n"


@pytest.fixture
def course(tmp_path: Path) -> Course:
    """The course of an instructor who has just got it, with the two notebooks that matter here."""
    course = copy_course(load_course(ROOT), LESSON, tmp_path / "course")
    for path in (course.source / LESSON).glob("*.ipynb"):
        if path.stem not in ("2_forward_broadcast", "6_exercises"):
            path.unlink()
    return course


def hand_in_through_the_exchange(course: Course, student: str, folder: Path) -> None:
    """Hand in a perfect submission with nbgrader's command, as a student does."""
    answers.submission(course.lesson(LESSON)).write(folder / LESSON)
    config = [
        "c = get_config()",
        f"c.CourseDirectory.course_id = {course.coursedir.course_id!r}",
        f"c.CourseDirectory.student_id = {student!r}",
        f"c.Exchange.root = {str(course.root / 'exchange')!r}",
    ]
    (folder / "nbgrader_config.py").write_text("\n".join(config), encoding="utf-8")
    shell(f"nbgrader submit {LESSON}", folder)


def download_from_moodle(course: Course, student: str) -> None:
    """Put a submission with one wrong answer where downloaded archives go."""
    made = answers.submission(
        course.lesson(LESSON), [answers.read(ROOT / "tests" / "submissions" / LESSON / WRONG)]
    )
    folder = course.root / "downloaded" / LESSON / "archive"
    folder.mkdir(parents=True)
    with zipfile.ZipFile(folder / "all.zip", "w") as archive:
        for name, node in made.notebooks.items():
            file = f"{student}_12345_assignsubmission_file_{name}.ipynb"
            archive.writestr(file, nbformat.writes(node))


def grade_by_hand(course: Course, student: str, points: float) -> None:
    with course.gradebook() as gradebook:
        grade = gradebook.find_grade("exercise3_reason", "6_exercises", LESSON, student)
        grade.manual_score, grade.needs_manual_grade = points, False
        gradebook.db.commit()


def test_a_term_can_be_taught_by_the_page(course, tmp_path):
    root = course.root
    setup, release, collect, zip_collect, grade, finish = (
        block.text for block in blocks("teach.md") if block.kind == "sh"
    )
    moodle, canvas = (block.text for block in blocks("teach.md") if block.kind == "python")
    lms = tomllib.loads((ROOT / "tests" / "lms_names.toml").read_text(encoding="utf-8"))
    for line, system in ((moodle, "moodle"), (canvas, "canvas")):
        expression = lms[system]["named_regexp"]
        assert line.startswith("c.FileNameCollectorPlugin.named_regexp = ")
        assert f'r"{expression}"' in line

    shell(setup, root)
    (root / "students.csv").write_text(STUDENTS, encoding="utf-8")
    shell(release, root)
    (tmp_path / "s01").mkdir()
    hand_in_through_the_exchange(course, "s01", tmp_path / "s01")
    shell(collect, root)
    with (root / "nbgrader_config.py").open("a", encoding="utf-8") as file:
        file.write("\nc.ExchangeCollect.check_owner = False  # one account for all, here\n")
        file.write(moodle)
    download_from_moodle(course, "s02")
    shell(zip_collect, root)
    shell(grade, root)
    for student in ("s01", "s02"):
        grade_by_hand(course, student, 1.5)
    shell(finish, root)

    with (root / "grades_by_student.csv").open(encoding="utf-8", newline="") as file:
        rows = {row["student_id"]: (row["status"], row["score"]) for row in csv.DictReader(file)}
    whole = course.lesson(LESSON).max_score
    assert rows == {
        "s01": ("graded", f"{whole - 0.5:g}"),
        "s02": ("graded", f"{whole - 4.5:g}"),
        "s03": ("not submitted", "0"),
    }
    assert (root / "feedback" / "s02" / LESSON / "2_forward_broadcast.html").is_file()
    assert list((root / "exchange").glob("*/feedback/*.html"))
    assert (root / "reports" / f"{LESSON}.html").is_file()
