"""nbgrader's own commands on a class, with this course's configuration."""

from __future__ import annotations

import csv
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest
from bs4 import BeautifulSoup
from nbgrader.api import Gradebook
from support import warm
from support.answers import cell_of, index_of
from support.grading import PATIENCE
from support.lessons import write_tiny_course
from support.pages import page_problems

from autograder.authoring.build import release
from autograder.course import Course, load_course
from examples import answers

WRONG = "def double(numbers):\n    return numbers**2"


def nbgrader(course: Course, *command: str) -> subprocess.CompletedProcess[str]:
    return warm.run(course.root, "nbgrader", *command, env=os.environ, timeout=PATIENCE)


def submit(course: Course, student: str, **sources: str) -> Path:
    """Hand in the solutions, but for the cells whose sources are given."""
    folder = course.root / "submitted" / student / "tiny"
    made = answers.submission(course.lesson("tiny"))
    for node in made.notebooks.values():
        for cell in node.cells:
            if cell.id in sources:
                cell.source = sources[cell.id]
    made.write(folder)
    return folder


def edit(folder: Path, notebook: str, change: Callable[[nbformat.NotebookNode], None]) -> None:
    path = folder / f"{notebook}.ipynb"
    node = nbformat.read(path, as_version=4)
    change(node)
    nbformat.write(node, path)


def rows(course: Course) -> dict[tuple[str, str], dict[str, str]]:
    done = nbgrader(course, "export", "--to", "grades.csv")
    assert done.returncode == 0, done.stderr
    with (course.root / "grades.csv").open(newline="", encoding="utf-8") as stream:
        return {(row["student_id"], row["question"]): row for row in csv.DictReader(stream)}


def feedback(course: Course, student: str, notebook: str) -> str:
    path = course.root / "feedback" / student / "tiny" / f"{notebook}.html"
    return path.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def graded(
    tmp_path_factory: pytest.TempPathFactory,
) -> tuple[Course, subprocess.CompletedProcess[str]]:
    """A class of eight, the worst submission first, graded and given feedback."""
    course = load_course(write_tiny_course(tmp_path_factory.mktemp("class")))
    release(course, "tiny")
    (submit(course, "a00") / "1_double.ipynb").write_text("<!DOCTYPE html><p>Sign in", "utf-8")
    submit(course, "s01")
    submit(course, "s02", double=WRONG)
    submit(course, "s03", double="def double(n):\n    return n * 2 if n.size else None")
    blank = course.lesson("tiny")
    sources = {
        cell.id: cell.source
        for notebook in blank.notebooks
        for cell in notebook.blank.cells
        if cell.id in ("double", "size", "reason")
    }
    submit(course, "s04", **sources)
    edit(
        submit(course, "s05"),
        "1_double",
        lambda node: node.cells.pop(index_of(node, "double_check")),
    )
    (submit(course, "b[1] é") / "2_count.ipynb").unlink()
    folder = submit(course, "s06")
    (folder / "1_double.ipynb").rename(folder / "Copy of 1_double (1).ipynb")
    (folder / "timestamp.txt").write_text("yesterday, I think", encoding="utf-8")
    done = nbgrader(course, "autograde", "tiny")
    fed = nbgrader(course, "generate_feedback", "tiny")
    assert fed.returncode == 0, fed.stderr
    return course, done


def test_a_class_is_graded_although_its_first_submission_is_not_gradable(graded):
    course, done = graded
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert "Not gradable: a00/1_double: the file is a web page (HTML)" in done.stderr
    found = rows(course)
    assert len({student for student, _ in found}) == 8
    row = found["a00", "double"]
    assert (row["status"], row["score"]) == ("not gradable", "")
    assert "web page" in row["reason"]
    assert found["a00", "size"]["score"] == "1"


def test_right_answers_earn_everything_and_blank_ones_nothing(graded):
    found = rows(graded[0])
    assert [found["s01", q]["score"] for q in ("double", "size", "reason")] == ["3", "1", ""]
    assert found["s01", "reason"]["status"] == "needs manual grading"
    assert [found["s04", q]["score"] for q in ("double", "size", "reason")] == ["0", "0", "0"]
    assert found["s04", "double"]["reason"] == "Not answered yet."


def test_a_wrong_answer_loses_its_own_question_and_is_explained_by_name(graded):
    course, _ = graded
    found = rows(course)
    assert found["s02", "double"]["score"] == "0"
    assert found["s02", "double"]["mistake"] == "squares the numbers"
    assert found["s02", "size"]["score"] == "1"
    assert "squares the numbers" in feedback(course, "s02", "1_double")


def test_a_missed_edge_loses_that_edge_alone(graded):
    assert rows(graded[0])["s03", "double"]["score"] == "2"


def test_damage_is_repaired_and_said(graded):
    course, _ = graded
    found = rows(course)
    assert found["s05", "double"]["score"] == "3"
    assert "the cell double_check was missing and was put back" in feedback(
        course, "s05", "1_double"
    )
    assert found["s06", "double"]["score"] == "3"
    page = feedback(course, "s06", "1_double")
    assert "was recognized as 1_double.ipynb" in page
    assert "timestamp cannot be read" in page


def test_a_student_id_with_glob_characters_is_graded_and_a_missing_notebook_is_said(graded):
    found = rows(graded[0])
    assert found["b[1] é", "double"]["score"] == "3"
    row = found["b[1] é", "size"]
    assert (row["status"], row["score"]) == ("not submitted", "0")


def test_feedback_pages_hold_no_line_of_the_hidden_blocks(graded):
    course, _ = graded
    secret = {
        line
        for notebook in course.lesson("tiny").notebooks
        for line in notebook.secret_lines
        if len(line) >= 8 and not line.startswith(("import", "from"))
    }
    assert secret
    pages = list((course.root / "feedback").rglob("*.html"))
    assert len(pages) == 15
    for page in pages:
        text = page.read_text(encoding="utf-8")
        assert not [line for line in secret if line in text], page


def test_feedback_pages_can_be_read_by_everyone(graded):
    pages = list((graded[0].root / "feedback").rglob("*.html"))
    assert pages
    for page in pages:
        assert page_problems(page.read_text(encoding="utf-8")) == [], page


def test_a_lost_question_links_to_the_section_to_read_again(graded):
    page = BeautifulSoup(feedback(graded[0], "s02", "1_double"), "html.parser")
    links = [link for link in page.find_all("a") if link.get_text() == "Doubling"]
    assert len(links) == 2  # in the summary and below the table of cases
    for link in links:
        [heading] = page.find_all(id=link["href"].removeprefix("#"))
        assert (heading.name, heading.contents[0]) == ("h2", "Doubling")
    right = feedback(graded[0], "s01", "1_double")
    assert "Read again" not in right


def test_without_the_judge_a_perfect_submission_earns_nothing_in_probed_cells(tmp_path):
    course = load_course(write_tiny_course(tmp_path))
    submit(course, "s01")
    # nbgrader as it comes: its own converter, preprocessors and export.
    (course.root / "nbgrader_config.py").write_text(
        "c = get_config()\n"
        "c.CourseDirectory.source_directory = 'lessons'\n"
        "c.ClearMarkScheme.enforce_metadata = False\n",
        encoding="utf-8",
    )
    scripts = str(Path(sys.executable).parent)
    for command in ("generate_assignment", "autograde"):
        done = subprocess.run(
            [sys.executable, "-m", "nbgrader", command, "tiny"],
            cwd=course.root,
            env={"PATH": f"{scripts}:/usr/bin:/bin"},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
    with Gradebook(f"sqlite:///{course.root}/gradebook.db") as gradebook:
        scores = {
            grade.cell.name: grade.auto_score
            for notebook in gradebook.find_submission("tiny", "s01").notebooks
            for grade in notebook.grades
        }
    assert scores == {"double_check": 0, "size_check": 0, "reason": None}


@pytest.fixture
def one(tmp_path: Path) -> Course:
    """A class of one with full marks."""
    course = load_course(write_tiny_course(tmp_path))
    release(course, "tiny")
    submit(course, "s01")
    assert nbgrader(course, "autograde", "tiny").returncode == 0
    return course


def test_a_failed_regrade_leaves_no_old_score_and_a_repaired_file_is_graded(one):
    assert rows(one)["s01", "double"]["score"] == "3"
    path = one.root / "submitted" / "s01" / "tiny" / "1_double.ipynb"
    good = path.read_text(encoding="utf-8")
    path.write_text("{", encoding="utf-8")
    assert nbgrader(one, "autograde", "tiny", "--force").returncode == 1
    row = rows(one)["s01", "double"]
    assert (row["status"], row["score"]) == ("not gradable", "")
    with Gradebook(one.coursedir.db_url) as gradebook:
        grade = gradebook.find_grade("double_check", "1_double", "tiny", "s01")
        assert (grade.auto_score, grade.needs_manual_grade) == (None, True)
    path.write_text(good, encoding="utf-8")
    assert nbgrader(one, "autograde", "tiny").returncode == 0  # retried without --force
    assert rows(one)["s01", "double"]["score"] == "3"


def test_files_that_have_changed_are_graded_again_although_nothing_has_a_timestamp(one):
    assert "Skipping existing" in nbgrader(one, "autograde", "tiny").stderr
    submit(one, "s01", double=WRONG)
    assert "Skipping existing" not in nbgrader(one, "autograde", "tiny").stderr
    assert rows(one)["s01", "double"]["score"] == "0"


def test_feedback_is_written_anew_since_comments_change_by_hand(one):
    assert nbgrader(one, "generate_feedback", "tiny").returncode == 0
    with Gradebook(one.coursedir.db_url) as gradebook:
        comment = gradebook.find_comment("reason", "2_count", "tiny", "s01")
        comment.manual_comment = "Well said."
        gradebook.db.commit()
    assert "Well said." not in feedback(one, "s01", "2_count")
    assert nbgrader(one, "generate_feedback", "tiny", "--notebook", "2_count").returncode == 0
    assert "Well said." in feedback(one, "s01", "2_count")
    assert "3 of 3 points" in feedback(one, "s01", "1_double")  # it is still there
    (one.root / "feedback" / "s01" / "tiny" / "0_old.html").touch()
    assert nbgrader(one, "generate_feedback", "tiny").returncode == 0
    assert "Well said." in feedback(one, "s01", "2_count")
    assert not (one.root / "feedback" / "s01" / "tiny" / "0_old.html").exists()


def test_a_student_whom_the_gradebook_must_know_and_does_not_is_one_sentence(one):
    with (one.root / "nbgrader_config.py").open("a", encoding="utf-8") as file:
        file.write("\nc.Autograde.create_student = False\n")
    submit(one, "s 2")
    done = nbgrader(one, "autograde", "tiny")
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    command = "nbgrader db student add 's 2'"
    assert "Not gradable: s 2: the gradebook has no student 's 2'" in done.stderr
    assert command in done.stderr
    row = rows(one)["s 2", "double"]
    assert (row["status"], row["score"]) == ("not gradable", "")
    assert command in row["reason"]
    assert nbgrader(one, "db", "student", "add", "s 2").returncode == 0
    assert nbgrader(one, "autograde", "tiny").returncode == 0
    assert rows(one)["s 2", "double"]["score"] == "3"


def test_grading_prints_no_warnings_of_the_gradebooks_library(graded):
    assert "SAWarning" not in graded[1].stderr


def test_a_lesson_changed_since_its_release_is_refused_with_the_command_to_run(one):
    path = one.source / "tiny" / "1_double.ipynb"
    node = nbformat.read(path, as_version=4)
    cell_of(node, "double_check").source += "\n# changed"
    nbformat.write(node, path)
    done = nbgrader(one, "autograde", "tiny", "--force")
    assert done.returncode == 2
    assert "has changed since it was released. Run: autograder build tiny" in done.stderr


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        (["nothing"], "There is no lesson folder 'nothing'"),
        (["tiny", "--student", "s99"], "No student 's99' has handed in tiny"),
    ],
)
def test_an_unknown_assignment_or_student_is_one_sentence(one, command, sentence):
    done = nbgrader(one, "autograde", *command)
    assert done.returncode == 2
    assert sentence in done.stderr
    assert "Traceback" not in done.stderr


def test_a_missing_gradebook_is_one_sentence(tmp_path):
    course = load_course(write_tiny_course(tmp_path))
    submit(course, "s01")
    done = nbgrader(course, "autograde", "tiny")
    assert done.returncode == 2
    assert "There is no gradebook" in done.stderr
    assert "Run: autograder build tiny" in done.stderr
