"""What was graded against another lesson or due date never looks current."""

from __future__ import annotations

import csv
import datetime
import shutil
from pathlib import Path

import nbformat
import pytest
from click.testing import CliRunner
from nbgrader.api import Gradebook
from nbgrader.converters.base import NbGraderException
from support.answers import cell_of
from support.grading import submit
from support.lessons import DOUBLE_CHECK, code, write_tiny_course

from autograder.authoring.build import release
from autograder.commands.cli import main
from autograder.course import Course, load_course
from autograder.gradebook import lateness
from autograder.plugins.autograde import Autograde
from autograder.plugins.export import Export
from autograder.plugins.generate_feedback import GenerateFeedback
from autograder.results import read_result

pytestmark = [
    pytest.mark.slow,
    # nbgrader gives a submission its assignment and notebooks before it adds it to the session.
    pytest.mark.filterwarnings(r"ignore:Object of type <\w+> not in session"),
]

DUE = datetime.datetime(2026, 1, 15, 12)


class Class:
    """A course with submissions, and what its commands say."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.said = ""

    @property
    def course(self) -> Course:
        return load_course(self.root)

    def call(self, *command: str, status: int = 0) -> str:
        done = CliRunner().invoke(main, ["--course", str(self.root), *command])
        self.said = done.output
        assert done.exit_code == status, (done.output, done.exception)
        assert "Traceback" not in done.output
        return done.output

    def grade(self, *options: str, status: int = 0) -> list[int]:
        """Grade, and return how many were graded, not gradable, failed, and graded before."""
        said = self.call("grade", "tiny", "--jobs", "1", *options, status=status)
        row = next(line for line in said.splitlines() if line.startswith("│"))
        return [int(number) for number in row.replace("│", " ").split()[1:5]]

    def change(self, notebook: str, cell: str, **changes: object) -> None:
        """Change a cell of the lesson: its source, or its points."""
        path = self.root / "lessons" / "tiny" / f"{notebook}.ipynb"
        node = nbformat.read(path, as_version=4)
        if "points" in changes:
            cell_of(node, cell).metadata.nbgrader["points"] = changes["points"]
        if "source" in changes:
            cell_of(node, cell).source = changes["source"]
        nbformat.write(node, path)

    def rows(self) -> dict[tuple[str, str], dict[str, str]]:
        course = self.course
        with course.gradebook() as gradebook:
            Export(config=course.config, to=str(self.root / "grades.csv")).export(gradebook)
        return {(row["student_id"], row["question"]): row for row in self.read("grades.csv")}

    def read(self, name: str) -> list[dict[str, str]]:
        with (self.root / name).open(newline="", encoding="utf-8") as stream:
            return list(csv.DictReader(stream))

    def state(self, student: str = "s01") -> dict[str, tuple[str, str]]:
        return {
            question: (row["status"], row["score"])
            for (who, question), row in self.rows().items()
            if who == student
        }

    def total(self, student: str = "s01") -> dict[str, str]:
        self.rows()
        return {row["student_id"]: row for row in self.read("grades_by_student.csv")}[student]

    def by_hand(self, student: str, cell: str, notebook: str, points: float) -> None:
        """Give points as Formgrader does."""
        with self.course.gradebook() as gradebook:
            grade = gradebook.find_grade(cell, notebook, "tiny", student)
            grade.manual_score, grade.needs_manual_grade = points, False
            gradebook.db.commit()

    def feedback(self) -> tuple[str, int]:
        """Generate feedback; return what is said, and the exit status."""
        course, lines = self.course, []
        course.coursedir.assignment_id = "tiny"
        converter = GenerateFeedback(coursedir=course.coursedir, config=course.config)
        log = converter.log
        for name in ("error", "warning"):
            setattr(
                log,
                name,
                lambda text, *values, **_: lines.append(text % values if values else text),
            )
        status = 0
        try:
            converter.start()
        except NbGraderException:
            status = 1
        except SystemExit as error:
            status = int(str(error.code))
        finally:
            for name in ("error", "warning"):
                delattr(log, name)
        return "\n".join(lines), status

    def pages(self, student: str = "s01") -> list[str]:
        folder = self.root / "feedback" / student / "tiny"
        return sorted(page.name for page in folder.glob("*.html"))


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A class of one with full marks, late by an hour, whose written answer a person has graded."""
    made = Class(write_tiny_course(tmp_path_factory.mktemp("template") / "course"))
    release(made.course, "tiny")
    submit(made.root, "s01", "2026-01-15 13:00:00 UTC")
    assert made.grade() == [1, 0, 0, 0]
    made.by_hand("s01", "reason", "2_count", 1.5)
    with made.course.gradebook() as gradebook:
        gradebook.db.commit()
    return made.root


@pytest.fixture
def graded(template: Path, tmp_path: Path) -> Class:
    return Class(shutil.copytree(template, tmp_path / "course"))


def test_what_is_graded_against_the_lesson_as_it_is_is_left_alone(graded):
    assert graded.grade() == [0, 0, 0, 1]
    assert graded.state() == {
        "double": ("graded", "3"),
        "size": ("graded", "1"),
        "reason": ("graded", "1.5"),
    }


def test_points_changed_after_hand_in_make_the_notebook_outdated_and_are_graded_again(graded):
    graded.change("2_count", "size_check", points=2)
    release(graded.course, "tiny")
    found = graded.state()
    assert found == {
        "double": ("graded", "3"),
        "size": ("outdated", ""),
        "reason": ("outdated", ""),
    }
    total = graded.total()
    assert (total["status"], total["score"], total["outdated"]) == ("outdated", "3", "4")
    assert graded.rows()["s01", "size"]["reason"].endswith("run: autograder grade tiny")
    assert graded.grade() == [1, 0, 0, 0]
    assert graded.state()["size"] == ("graded", "2")
    assert graded.state()["reason"] == ("graded", "1.5")  # neither the question nor the answer
    assert graded.grade() == [0, 0, 0, 1]


def test_a_changed_case_is_graded_again_and_the_report_and_pages_wait_for_it(graded):
    assert graded.feedback() == ("", 0)
    assert len(graded.pages()) == 2
    changed = DOUBLE_CHECK.rstrip("\n").replace("standard_normal(5)", "standard_normal(7)")
    graded.change("1_double", "double_check", source=changed)
    release(graded.course, "tiny")
    said, status = graded.feedback()
    assert status == 1
    assert "No feedback for s01: the lesson has changed since it was graded; run: " in said
    assert graded.pages() == []
    assert "Outdated" in graded.call("report", "tiny")
    assert graded.grade() == [1, 0, 0, 0]
    assert "Outdated" not in graded.call("report", "tiny")
    assert graded.feedback() == ("", 0)
    assert len(graded.pages()) == 2


def test_a_helper_beside_the_lesson_counts_and_a_sentence_of_prose_does_not(graded):
    graded.change("1_double", "title", source="# Doubling\n\nSaid better.")
    (graded.root / "lessons" / "tiny" / "README.md").write_text("Read me.", encoding="utf-8")
    release(graded.course, "tiny")
    assert graded.grade() == [0, 0, 0, 1]
    helper = graded.root / "lessons" / "tiny" / "helper.py"
    helper.write_text("FACTOR = 2\n", encoding="utf-8")
    assert {status for status, _ in graded.state().values()} == {"outdated"}
    assert graded.grade() == [1, 0, 0, 0]
    assert graded.grade() == [0, 0, 0, 1]


def test_a_changed_helper_is_judged_by_a_new_reference(tmp_path):
    root = write_tiny_course(tmp_path / "course")
    made = Class(root)
    helper = root / "lessons" / "tiny" / "helper.py"
    helper.write_text("FACTOR = 2\n", encoding="utf-8")
    solution = (
        "from helper import FACTOR\n### BEGIN SOLUTION\ndef double(n):\n    return n * FACTOR"
    )
    made.change("1_double", "double", source=f"{solution}\n### END SOLUTION")
    check = DOUBLE_CHECK.rstrip("\n").replace(
        '    alternatives={"a sum": lambda numbers: numbers + numbers},\n', ""
    )
    made.change("1_double", "double_check", source=check.split("# Visible")[0].rstrip("\n"))
    release(made.course, "tiny")
    submit(root, "s01", double="def double(n):\n    return n * 3")
    made.grade()
    assert made.state()["double"] == ("graded", "0")
    helper.write_text("FACTOR = 3\n", encoding="utf-8")
    assert made.state()["double"] == ("outdated", "")
    made.grade()
    assert made.state()["double"] == ("graded", "3")


def test_points_by_hand_above_the_new_maximum_wait_for_a_person(graded):
    graded.change("2_count", "reason", points=1)
    release(graded.course, "tiny")
    assert graded.state()["reason"] == ("outdated", "")
    graded.grade()
    row = graded.rows()["s01", "reason"]
    assert (row["status"], row["score"]) == ("needs manual grading", "")
    assert "gave it 1.5 points, and it is worth 1 now" in row["reason"]
    graded.by_hand("s01", "reason", "2_count", 1)
    assert graded.state()["reason"] == ("graded", "1")


def test_points_by_hand_for_another_version_of_the_question_wait_for_a_person(graded):
    graded.change("2_count", "prompt", source="Say why, in one sentence.")
    release(graded.course, "tiny")
    graded.grade()
    row = graded.rows()["s01", "reason"]
    assert (row["status"], row["score"]) == ("needs manual grading", "1.5")
    assert "before the last grading run" in row["reason"]


def test_points_by_hand_stand_when_the_same_files_are_graded_again_and_not_with_others(graded):
    graded.grade("--force")
    assert graded.state()["reason"] == ("graded", "1.5")
    submit(graded.root, "s01", reason="Because I say so.")
    graded.grade()
    assert graded.state()["reason"] == ("needs manual grading", "1.5")


def test_a_record_of_an_earlier_version_of_this_program_is_outdated_and_graded_again(graded):
    folder = graded.root / "reports" / "s01" / "tiny"
    record = read_result(folder)
    assert record is not None
    for notebook in record.notebooks.values():
        notebook.lesson = ""
    record.write(folder)
    assert {status for status, _ in graded.state().values()} == {"outdated"}
    assert graded.grade() == [1, 0, 0, 0]


# Lateness ---------------------------------------------------------------------------------------


@pytest.fixture
def late(graded: Class) -> Class:
    """The same class, in which lateness costs everything."""
    with (graded.root / "nbgrader_config.py").open("a", encoding="utf-8") as file:
        file.write('\nc.LateSubmissionPlugin.penalty_method = "zero"\n')
    with graded.course.gradebook() as gradebook:
        gradebook.update_or_create_assignment("tiny", duedate=DUE)
    return graded


def test_a_due_date_and_an_extension_given_afterwards_count_in_the_next_run(late):
    assert {status for status, _ in late.state().values()} == {"outdated"}
    assert late.grade() == [1, 0, 0, 0]
    assert late.total()["score"] == "0"
    autograded = late.root / "autograded" / "s01" / "tiny" / "1_double.ipynb"
    stamp = autograded.stat().st_mtime_ns
    said = late.call("extend", "tiny", "s01", "2h")
    assert "s01 has until 2026-01-15 14:00:00 UTC for tiny" in said
    row = late.rows()["s01", "double"]
    assert (row["status"], row["score"]) == ("outdated", "")
    assert "its due date or extension has changed" in row["reason"]
    assert late.grade() == [1, 0, 0, 0]
    assert (late.total()["status"], late.total()["score"]) == ("graded", "5.5")
    assert autograded.stat().st_mtime_ns == stamp  # nothing was executed for it
    assert late.grade() == [0, 0, 0, 1]
    late.call("extend", "tiny", "s01", "0")
    late.grade()
    assert late.total()["score"] == "0"


def test_a_due_date_moved_while_all_are_in_time_changes_nothing(graded):
    with graded.course.gradebook() as gradebook:
        gradebook.update_or_create_assignment("tiny", duedate=DUE + datetime.timedelta(days=1))
    assert graded.total()["status"] == "graded"
    assert graded.grade() == [0, 0, 0, 1]


def test_an_extension_before_anything_is_handed_in_is_no_submission(late):
    with late.course.gradebook() as gradebook:
        gradebook.add_student("s02")
    late.call("extend", "tiny", "s02", "1d")
    assert late.state("s02")["double"] == ("not submitted", "0")
    submit(late.root, "s02", "2026-01-16 11:00:00 UTC")
    late.grade()
    assert late.total("s02")["score"] == "4"


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        (["nothing", "s01", "2d"], "There is no lesson 'nothing'"),
        (["tiny", "s99", "2d"], "nbgrader db student add s99"),
        (["tiny", "s01", "soon"], "write 2d, 36h, 1w2d or 90m"),
        (["tiny", "s01", "--", "-2d"], "write 2d, 36h, 1w2d or 90m"),
        (["tiny", "s01", "2d 3"], "write 2d, 36h, 1w2d or 90m"),
        (["tiny", "s01", "999999w"], "more than ten years"),
    ],
)
def test_an_extension_of_nothing_is_one_sentence(late, command, sentence):
    assert sentence in late.call("extend", *command, status=2)


def test_an_extension_needs_a_due_date_also_one_that_nbgrader_has_taken(graded):
    said = graded.call("extend", "tiny", "s01", "2d", status=2)
    assert 'nbgrader db assignment add tiny --duedate "' in said
    with graded.course.gradebook() as gradebook:
        gradebook.grant_extension("tiny", "s01", hours=1)
    said = graded.call("grade", "tiny", status=2)
    assert "tiny has no due date, and a student has an extension of it" in said


@pytest.mark.parametrize(
    ("text", "hours"), [("2d", 48), ("36h", 36), ("1w2d", 216), ("90m", 1.5), ("0", 0), ("1D", 24)]
)
def test_a_duration_is_read(text, hours):
    assert lateness.parse_duration(text) == datetime.timedelta(hours=hours)


# Students who leave, and other names ------------------------------------------------------------


def test_a_renamed_submission_leaves_no_score_under_the_old_name(graded):
    (graded.root / "submitted" / "s01").rename(graded.root / "submitted" / "s01b")
    graded.grade()
    assert "s01: outdated: there is no submission in" in graded.said
    assert {status for status, _ in graded.state("s01").values()} == {"outdated"}
    assert {score for _, score in graded.state("s01").values()} == {""}
    assert graded.state("s01b")["double"] == ("graded", "3")
    said, status = graded.feedback()
    assert status == 0
    assert "No feedback for s01: there is no submission in" in said
    assert "nbgrader db student remove s01 --force" in said
    assert (graded.pages("s01"), len(graded.pages("s01b"))) == ([], 2)
    assert "Outdated" in graded.call("report", "tiny")


def test_a_student_removed_from_the_gradebook_is_one_sentence(graded):
    assert graded.feedback() == ("", 0)
    with graded.course.gradebook() as gradebook:
        gradebook.remove_student("s01")
    said, status = graded.feedback()
    assert status == 0
    assert said.startswith("No feedback for s01: the gradebook does not know this student")
    row = graded.rows()["s01", "double"]
    assert (row["status"], row["score"]) == ("not gradable", "")
    assert "the gradebook does not know this student" in row["reason"]
    for _ in range(2):  # it is not entered again behind anybody's back
        assert graded.grade(status=1) == [0, 1, 0, 0]
        assert "autograder grade tiny --student s01 --force" in graded.said
    assert graded.grade("--student", "s01", "--force") == [1, 0, 0, 0]
    assert graded.state()["double"] == ("graded", "3")


def test_files_of_nobody_are_left_alone_and_said(graded):
    with graded.course.gradebook() as gradebook:
        gradebook.remove_student("s01")
    shutil.rmtree(graded.root / "submitted" / "s01")
    assert graded.rows() == {}
    said, status = graded.feedback()
    assert status == 0
    assert "knows this student; delete" in said
    assert (graded.root / "autograded" / "s01" / "tiny").is_dir()


def test_a_gradebook_that_has_lost_a_submission_gets_it_again(graded):
    with graded.course.gradebook() as gradebook:
        gradebook.remove_submission("tiny", "s01")
    assert graded.state()["double"] == ("not gradable", "")
    assert graded.grade() == [1, 0, 0, 0]
    assert graded.state()["double"] == ("graded", "3")


# The lesson changes its structure ---------------------------------------------------------------


def test_a_question_that_was_added_gets_its_rows_and_all_is_graded_again(graded):
    path = graded.root / "lessons" / "tiny" / "2_count.ipynb"
    node = nbformat.read(path, as_version=4)
    answer = cell_of(node, "size").copy()
    answer.source = "rows = None\n### BEGIN SOLUTION\nrows = 3\n### END SOLUTION"
    check = cell_of(node, "size_check").copy()
    check.source = check.source.replace("size", "rows").replace("12.0", "3.0").replace("7", "4")
    for cell, name in ((answer, "rows"), (check, "rows_check")):
        made = code(name, cell.source, {"nbgrader": {**cell.metadata.nbgrader, "grade_id": name}})
        node.cells.append(made)
    nbformat.write(node, path)
    said = graded.call("grade", "tiny", status=2)
    assert "has changed since it was released. Run: autograder build tiny" in said
    graded.call("build", "tiny")
    assert graded.state()["rows"] == ("outdated", "")
    assert graded.grade() == [1, 0, 0, 0]
    assert graded.state() == {
        "double": ("graded", "3"),
        "size": ("graded", "1"),
        "reason": ("graded", "1.5"),
        "rows": ("graded", "0"),
    }
    submit(graded.root, "s01")
    graded.grade()
    assert graded.state()["rows"] == ("graded", "1")


@pytest.mark.parametrize("notebook", [False, True])
def test_a_question_that_is_gone_is_refused_before_anything_is_touched(graded, notebook):
    path = graded.root / "lessons" / "tiny" / "1_double.ipynb"
    node = nbformat.read(path, as_version=4)
    if notebook:
        path.unlink()
    else:
        for old, new in (("double", "twice"), ("double_check", "twice_check")):
            cell = cell_of(node, old)
            cell.id, cell.metadata.nbgrader["grade_id"] = new, new
        nbformat.write(node, path)
    before = {
        file: file.read_bytes()
        for step in ("release", "autograded", "reports")
        for file in (graded.root / step).rglob("*")
        if file.is_file()
    }
    for command in (["build", "tiny"], ["grade", "tiny"]):
        said = graded.call(*command, status=2)
        assert "double_check (in 1_double)" in said
        assert "give the changed lesson a new name" in said
        assert len(said.splitlines()) == 1
    assert {file: file.read_bytes() for file in before} == before
    # The ways out work: all points are given up, or the question is put back.
    with graded.course.gradebook() as gradebook:
        gradebook.remove_assignment("tiny")
    graded.call("build", "tiny")
    assert graded.grade() == [1, 0, 0, 0]


def test_the_converter_of_nbgraders_own_command_grades_again_too(graded):
    graded.change("2_count", "size_check", points=2)
    release(graded.course, "tiny")
    course = graded.course
    course.coursedir.assignment_id = "tiny"
    Autograde(coursedir=course.coursedir, config=course.config).start()
    assert graded.state()["size"] == ("graded", "2")
    with Gradebook(course.coursedir.db_url) as gradebook:
        assert gradebook.find_grade("size_check", "2_count", "tiny", "s01").max_score == 2
