"""A course from its release to the grades, with nbgrader's exchange and with downloaded files."""

from __future__ import annotations

import csv
import datetime
import os
import shutil
import subprocess
import tomllib
import zipfile
from dataclasses import dataclass
from pathlib import Path

import nbformat
import pytest
from nbgrader.api import Gradebook
from nbgrader.plugins import FileNameCollectorPlugin
from support import warm
from support.answers import cell_of
from support.grading import PATIENCE, WRONG, configure
from support.lessons import ROOT, write_tiny_course

from autograder.authoring.build import release
from autograder.course import load_course
from autograder.results import REPORTS, read_result
from examples import answers

STUDENT_CONFIG = """\
c = get_config()
c.CourseDirectory.course_id = "mini-gpt"
c.CourseDirectory.student_id = {student!r}
c.Exchange.root = {exchange!r}
"""
"""What a student needs. One account plays all of them here, so their ids are given, too."""

TEACHER_CONFIG = """
c.Exchange.root = {exchange!r}
c.ExchangeCollect.check_owner = False  # of the files: the students' account
"""

NO_CREDIT_WHEN_LATE = '\nc.LateSubmissionPlugin.penalty_method = "zero"\n'

LMS = tomllib.loads((ROOT / "tests" / "lms_names.toml").read_text(encoding="utf-8"))


@dataclass(frozen=True)
class Person:
    """Somebody who runs nbgrader's commands, with a home of their own."""

    home: Path
    folder: Path
    """The working directory."""

    def run(self, *command: str, module: str = "nbgrader", status: int = 0) -> str:
        """Run a command and return what it says, without warnings that nobody can act on."""
        env = {name: os.environ[name] for name in ("PATH", "TMPDIR", "LANG") if name in os.environ}
        done = warm.run(
            self.folder,
            module,
            *command,
            env={**env, "HOME": str(self.home), "COLUMNS": "140"},
            timeout=PATIENCE,
            stderr=subprocess.STDOUT,
        )
        said = f"{' '.join(command)} said:\n{done.stdout}"
        assert done.returncode == status, said
        assert "SAWarning" not in done.stdout, said
        assert "Traceback" not in done.stdout or "validate" in command, said
        return done.stdout


def person(root: Path, name: str, folder: Path | None = None) -> Person:
    home = root / "homes" / name
    (home / ".jupyter").mkdir(parents=True)
    return Person(home, folder or home)


# With the exchange ------------------------------------------------------------------------------


@dataclass(frozen=True)
class School:
    """A course, its teacher, and two students who use the exchange."""

    course: Path
    exchange: Path
    teacher: Person
    right: Person
    """s01: wrong at first, right and late in the end."""
    wrong: Person
    """s02: wrong, on time, and in a file with another name."""

    def gradebook(self) -> Gradebook:
        return Gradebook(f"sqlite:///{self.course}/gradebook.db")

    def grade_by_hand(self, student: str, points: float, comment: str) -> None:
        """Grade the written answer as Formgrader does."""
        with self.gradebook() as gradebook:
            grade = gradebook.find_grade("reason", "2_count", "tiny", student)
            grade.manual_score, grade.needs_manual_grade = points, False
            gradebook.find_comment("reason", "2_count", "tiny", student).manual_comment = comment
            gradebook.db.commit()

    def exported(self) -> dict[tuple[str, str], dict[str, str]]:
        """Export the grades; return the rows by student and question."""
        self.teacher.run("export")
        return {(row["student_id"], row["question"]): row for row in read(self.course)}


def read(course: Path, name: str = "grades.csv") -> list[dict[str, str]]:
    with (course / name).open(newline="", encoding="utf-8") as stream:
        return list(csv.DictReader(stream))


def totals(course: Path) -> dict[str, tuple[str, str]]:
    """Return the status and the points of each student in the last export."""
    return {
        row["student_id"]: (row["status"], row["score"])
        for row in read(course, "grades_by_student.csv")
    }


def graded_before(said: str) -> int:
    """Return what ``autograder grade`` says in the row below "Graded before"."""
    return int(said.split("│")[5])


def found_school(root: Path) -> School:
    exchange = root / "exchange"
    exchange.mkdir()
    course = write_tiny_course(root / "course")
    configure(course, TEACHER_CONFIG.format(exchange=str(exchange)))
    students = []
    for name in ("s01", "s02"):
        students.append(person(root, name))
        config = STUDENT_CONFIG.format(student=name, exchange=str(exchange))
        (students[-1].home / ".jupyter" / "nbgrader_config.py").write_text(config, "utf-8")
    return School(course, exchange, person(root, "teacher", course), *students)


def work(school: School, student: Person, **sources: str) -> Path:
    """Write right answers, but for the cells whose sources are given, into the fetched files."""
    folder = student.folder / "tiny"
    solved = answers.submission(load_course(school.course).lesson("tiny"))
    for name, node in solved.notebooks.items():
        mine = nbformat.read(folder / f"{name}.ipynb", as_version=4)
        for cell in node.cells:
            cell_of(mine, cell.id).source = sources.get(cell.id, cell.source)
        nbformat.write(mine, folder / f"{name}.ipynb")
    return folder


def hand_out(school: School) -> None:
    school.teacher.run("generate_assignment", "tiny")
    school.teacher.run("release_assignment", "tiny")
    assert "mini-gpt tiny" in school.right.run("list")
    for student in (school.right, school.wrong):
        student.run("fetch_assignment", "tiny")
        names = {path.name for path in (student.folder / "tiny").iterdir()}
        assert names == {"1_double.ipynb", "2_count.ipynb"}


def hand_in(school: School) -> None:
    """Two hand in wrong answers, the second in a renamed file; then the time is up."""
    folder = work(school, school.right, double=WRONG)
    said = school.right.run("validate", str(folder / "1_double.ipynb"))
    assert "double([1, 2]) should be [2, 4]" in said
    assert "HIDDEN" not in said
    school.right.run("submit", "tiny")
    folder = work(school, school.wrong, double=WRONG)
    (folder / "1_double.ipynb").rename(folder / "Copy of 1_double.ipynb")
    assert "1_double.ipynb: MISSING" in school.wrong.run("submit", "tiny")
    now = f"{datetime.datetime.now(datetime.UTC):%Y-%m-%d %H:%M:%S.%f} UTC"
    school.teacher.run("db", "assignment", "add", "tiny", f"--duedate={now}")


def grade_what_came_in_time(school: School) -> None:
    said = school.teacher.run("collect", "tiny")
    assert "Processing 2 submissions" in said
    assert "cheating" not in said
    # The third student's files come by another way, without timestamp and secret.
    course = load_course(school.course)
    made = answers.submission(course.lesson("tiny"))
    made.write(school.course / "submitted" / "s03" / "tiny")
    assert "late" not in school.teacher.run("autograde", "tiny")
    found = school.exported()
    assert [found[student, "double"]["score"] for student in ("s01", "s02", "s03")] == list("003")
    for student in ("s01", "s02", "s03"):
        assert found[student, "size"]["score"] == "1", student
        assert found[student, "reason"]["status"] == "needs manual grading", student
        school.grade_by_hand(student, 1, "It is short.")


def hand_in_again_late(school: School) -> None:
    folder = work(school, school.right)
    assert "Success" in school.right.run("validate", str(folder / "1_double.ipynb"))
    school.right.run("submit", "tiny")
    assert "use --update to update: s01 tiny" in school.teacher.run("collect", "tiny")
    said = school.teacher.run("collect", "--update", "tiny")
    assert "Updating submission: s01 tiny" in said
    assert "No newer submission to collect: s02 tiny" in said


def grade_again(school: School) -> None:
    """Without a penalty a late submission counts in full; the rest is left alone."""
    said = school.teacher.run("grade", "tiny", "--jobs", "1", module="autograder.commands.cli")
    assert graded_before(said) == 2
    found = school.exported()
    assert found["s01", "double"]["score"] == "3"
    assert found["s01", "double"]["late_penalty"] == "0"
    with school.gradebook() as gradebook:
        assert gradebook.find_submission("tiny", "s01").total_seconds_late > 0
        assert gradebook.find_submission("tiny", "s02").total_seconds_late == 0
        assert gradebook.find_submission("tiny", "s03").total_seconds_late == 0
    # The points for the old written answer stand, and a person is to look at the new one.
    row = found["s01", "reason"]
    assert (row["status"], row["score"]) == ("needs manual grading", "1")
    assert "before the last grading run" in row["reason"]
    assert found["s02", "reason"]["status"] == "graded"
    school.grade_by_hand("s01", 2, "Rows *times* columns.")


def give_feedback(school: School) -> None:
    school.teacher.run("generate_feedback", "tiny")
    said = school.teacher.run("release_feedback", "tiny")
    assert "Released the feedback of s01" in said
    assert "Released the feedback of s02" in said
    assert "s03 did not hand in through the exchange" in said
    assert str(school.course / "feedback" / "s03" / "tiny") in said


def fetched(student: Person) -> dict[str, str]:
    """Fetch a student's feedback; return the pages of the last submission by name."""
    student.run("fetch_feedback", "tiny")
    last = sorted((student.folder / "tiny" / "feedback").iterdir())[-1]
    return {page.stem: page.read_text(encoding="utf-8") for page in last.iterdir()}


def read_feedback(school: School) -> None:
    pages = fetched(school.right)
    assert set(pages) == {"1_double", "2_count"}
    assert "1_double: 3 of 3 points" in pages["1_double"]
    assert "2_count: 3 of 3 points" in pages["2_count"]
    assert "Rows <em>times</em> columns." in pages["2_count"]
    pages = fetched(school.wrong)
    assert set(pages) == {"Copy of 1_double", "2_count"}
    page = pages["Copy of 1_double"]
    assert "1_double: 0 of 3 points" in page
    assert "was recognized as 1_double.ipynb" in page
    assert "squares the numbers" in page
    for case in ("a table of numbers", "a row of numbers"):
        assert f">{case}</td>" in page, "the table of cases"
    assert "It is short." in pages["2_count"]


def count(school: School) -> None:
    school.teacher.run("export")
    assert totals(school.course) == {
        "s01": ("graded", "6"),
        "s02": ("graded", "2"),
        "s03": ("graded", "5"),
    }


def take_points_off(school: School) -> None:
    """nbgrader's penalty takes everything from the late submission and nothing from the others."""
    configure(school.course, NO_CREDIT_WHEN_LATE)
    assert "seconds late" in school.teacher.run("autograde", "tiny", "--force", "--student", "s01")
    found = school.exported()
    assert found["s01", "double"]["late_penalty"] == "3"
    assert found["s01", "reason"]["late_penalty"] == "3"
    points = {student: score for student, (_, score) in totals(school.course).items()}
    assert points == {"s01": "0", "s02": "2", "s03": "5"}


@pytest.mark.slow
def test_a_course_goes_through_the_exchange_from_release_to_grades(tmp_path):
    school = found_school(tmp_path)
    for step in (
        hand_out,
        hand_in,
        grade_what_came_in_time,
        hand_in_again_late,
        grade_again,
        give_feedback,
        read_feedback,
        count,
        take_points_off,
    ):
        step(school)


# With downloaded files --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("system", "name"), [(system, name) for system in LMS for name in LMS[system]["names"]]
)
def test_student_and_notebook_are_read_from_a_downloaded_name(system, name):
    plugin = FileNameCollectorPlugin(named_regexp=LMS[system]["named_regexp"])
    found = plugin.collect(f"/a_1/course_12_34_x/downloaded/tiny/extracted/all_1_2_3/{name}")
    assert [found["student_id"], found["file_id"]] == LMS[system]["names"][name]


DOWNLOADS = {
    "moodle": (
        "{student}_12345_assignsubmission_file_/{file}",
        "s03_12345_assignsubmission_file_1_double.ipynb",
    ),
    "canvas": ("{student}_1234_5678_{file}", "s03_LATE_1234_5679_1_double-1.ipynb"),
}
"""Names of files in the archive of a class, and of a file that was downloaded alone."""


def download(course: Path, system: str, **sources: str) -> None:
    """Put what three students handed in where ``nbgrader zip_collect`` looks for it.

    s01 handed in two notebooks, s02 a zip file with both, in which the cells whose sources are
    given are not right, and s03 the first notebook alone.
    """
    pattern, alone = DOWNLOADS[system]
    folder = course / "downloaded" / "tiny" / "archive"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    made = answers.submission(load_course(course).lesson("tiny")).notebooks
    with zipfile.ZipFile(folder / "all.zip", "w") as archive:
        for name, node in made.items():
            file = pattern.format(student="s01", file=f"{name}.ipynb")
            archive.writestr(file, nbformat.writes(node))
        nbformat.write(made["1_double"], folder / alone)
        with zipfile.ZipFile(folder / "work.zip", "w") as work:
            work.writestr("__MACOSX/work/._1_double.ipynb", b"\0\5\x16\7")
            for name, node in made.items():
                for cell in node.cells:
                    cell.source = sources.get(cell.id, cell.source)
                work.writestr(f"work/{name}.ipynb", nbformat.writes(node))
        archive.write(folder / "work.zip", pattern.format(student="s02", file="work.zip"))
        (folder / "work.zip").unlink()


def points(course: Path) -> dict[str, list[float | None]]:
    """Return the points that the last grading run gave, by student."""
    found = {}
    for folder in sorted((course / REPORTS).iterdir()):
        record = read_result(folder / "tiny")
        assert record is not None, folder
        found[folder.name] = [
            record.questions[question].points for question in ("double", "size", "reason")
        ]
    return found


@pytest.mark.slow
@pytest.mark.parametrize("system", list(LMS))
def test_downloaded_files_are_collected_and_graded_and_new_ones_graded_again(tmp_path, system):
    course = write_tiny_course(tmp_path / "course")
    expression = LMS[system]["named_regexp"]
    configure(course, f'\nc.FileNameCollectorPlugin.named_regexp = r"{expression}"\n')
    release(load_course(course), "tiny")
    teacher = person(tmp_path, "teacher", course)
    download(course, system, double=WRONG)
    said = teacher.run("zip_collect", "tiny")
    assert "did not match anything" not in said
    teacher.run("autograde", "tiny")
    right = [3.0, 1.0, None]
    wrong = [0.0, 1.0, None]
    half = [3.0, 0.0, 0.0]
    assert points(course) == {"s01": right, "s02": wrong, "s03": half}
    # All is collected again, and what has changed is graded again, although nothing has a time.
    download(course, system)
    teacher.run("zip_collect", "tiny", "--force")
    said = teacher.run("grade", "tiny", "--jobs", "1", module="autograder.commands.cli")
    assert graded_before(said) == 2
    assert points(course) == {"s01": right, "s02": right, "s03": half}
    with Gradebook(f"sqlite:///{course}/gradebook.db") as gradebook:
        assert sorted(student.id for student in gradebook.students) == ["s01", "s02", "s03"]
