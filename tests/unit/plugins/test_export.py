"""The CSV file with one row per student and question."""

from __future__ import annotations

import csv

import pytest

from autograder.plugins.export import Export
from autograder.results import REPORTS, NotebookResult, QuestionResult, Status, SubmissionResult

# nbgrader gives a submission its assignment and notebooks before it adds it to the session.
pytestmark = pytest.mark.filterwarnings(r"ignore:Object of type <\w+> not in session")

COLUMNS = [
    "assignment",
    "student_id",
    "notebook",
    "question",
    "status",
    "score",
    "max_score",
    "timestamp",
    "late_penalty",
    "mistake",
    "reason",
    "sandbox",
    "graded_with",
]

QUESTIONS = ["double", "size", "reason"]


def test_a_class_without_students_has_a_header_alone(classroom):
    assert classroom.export() == []
    header = (classroom.course.root / "out.csv").read_text(encoding="utf-8").strip()
    assert header.split(",") == COLUMNS


def test_there_is_a_row_for_each_student_and_question_in_order(classroom):
    for student in ("s02", "s01"):
        classroom.hand_in(student)
        classroom.score(student, double=3, size=1)
        classroom.record(student)
    rows = classroom.export()
    assert [(row["student_id"], row["question"]) for row in rows] == [
        (student, question) for student in ("s01", "s02") for question in QUESTIONS
    ]
    assert [row["notebook"] for row in rows[:3]] == ["1_double", "2_count", "2_count"]
    assert {row["assignment"] for row in rows} == {"tiny"}


def test_a_graded_question_has_its_score_and_the_reasons(classroom):
    classroom.hand_in("s01")
    classroom.score("s01", double=2, size=1)
    question = QuestionResult(
        "1_double", Status.GRADED, 2, 3, ["no numbers: got None", "more"], "gives nothing"
    )
    classroom.record("s01", double=question)
    row = classroom.row("s01", "double")
    assert (row["status"], row["score"], row["max_score"]) == ("graded", "2", "3")
    assert row["reason"] == "no numbers: got None; more"
    assert row["mistake"] == "gives nothing"
    assert row["sandbox"] == "bubblewrap"
    assert row["timestamp"] == "2026-01-15 12:00:00"
    assert row["late_penalty"] == "0"


def test_a_written_answer_waits_until_a_person_has_graded_it(classroom):
    for student, by_hand in (("s01", None), ("s02", 1.5)):
        classroom.hand_in(student)
        classroom.score(student, by_hand=by_hand, double=3, size=1)
        classroom.record(student)
    waiting, done = classroom.row("s01", "reason"), classroom.row("s02", "reason")
    assert (waiting["status"], waiting["score"]) == ("needs manual grading", "")
    assert (done["status"], done["score"]) == ("graded", "1.5")


def test_a_written_answer_that_was_graded_before_the_last_run_counts_and_waits(classroom):
    classroom.hand_in("s01")
    classroom.score("s01", by_hand=1.5, double=3, size=1)
    classroom.record("s01")
    grade = classroom.gradebook.find_grade("reason", "2_count", "tiny", "s01")
    grade.needs_manual_grade = True  # as nbgrader does when it grades again
    row = classroom.row("s01", "reason")
    assert (row["status"], row["score"]) == ("needs manual grading", "1.5")
    assert "before the last grading run" in row["reason"]
    with (classroom.course.root / "out_by_student.csv").open(newline="", encoding="utf-8") as file:
        [total] = csv.DictReader(file)
    assert (total["status"], total["score"]) == ("needs manual grading", "5.5")
    assert total["waiting"] == "0"


def test_what_is_not_gradable_has_a_reason_and_no_score(classroom):
    classroom.hand_in("s01")
    classroom.score("s01", size=1)
    classroom.record("s01", NotebookResult(Status.NOT_GRADABLE, "the file is empty"))
    row = classroom.row("s01", "double")
    assert (row["status"], row["score"]) == ("not gradable", "")
    assert row["reason"] == "the file is empty"
    assert classroom.row("s01", "size")["status"] == "graded"


def test_a_question_that_could_not_be_compared_has_its_reason_alone(classroom):
    for student, problems in (("s01", ["This question could not be graded: x."]), ("s02", [])):
        classroom.hand_in(student)
        classroom.score(student, size=1)
        lost = QuestionResult("1_double", Status.NOT_GRADABLE, None, 3, problems)
        classroom.record(student, double=lost)
        row = classroom.row(student, "double")
        assert (row["status"], row["score"]) == ("not gradable", "")
        assert row["reason"] == "; ".join(problems)


def test_a_failed_run_never_leaves_the_old_score_looking_current(classroom):
    classroom.hand_in("s01")
    classroom.score("s01", double=3, size=1)
    failed = NotebookResult(Status.NOT_GRADABLE, "the grader failed")
    classroom.record("s01", failed, failed)
    assert {row["status"] for row in classroom.export()} == {"not gradable"}
    assert {row["score"] for row in classroom.export()} == {""}


def test_scores_without_a_record_of_the_run_are_not_shown(classroom):
    classroom.hand_in("s01")
    classroom.score("s01", double=3, size=1)
    for row in classroom.export():
        assert (row["status"], row["score"]) == ("not gradable", "")
        assert row["reason"] == "it has not been graded yet"
        assert row["sandbox"] == ""


def test_a_person_may_give_points_for_what_was_not_gradable(classroom):
    classroom.hand_in("s01")
    classroom.score("s01", by_hand=2, double=3)
    failed = NotebookResult(Status.NOT_GRADABLE, "the file is empty")
    classroom.record("s01", failed, failed)
    row = classroom.row("s01", "reason")
    assert (row["status"], row["score"]) == ("graded", "2")


def test_whoever_handed_in_something_is_there_before_any_grading(classroom):
    classroom.hand_in("s01")
    assert [row["student_id"] for row in classroom.export()] == ["s01"] * 3
    row = classroom.row("s01", "double")
    assert (row["status"], row["reason"]) == ("not gradable", "it has not been graded yet")


def test_whoever_handed_in_nothing_is_there_with_zero(classroom):
    classroom.gradebook.add_student("s02")
    for row in classroom.export():
        assert (row["student_id"], row["status"], row["score"]) == ("s02", "not submitted", "0")


def test_a_notebook_that_was_not_handed_in_counts_zero(classroom):
    classroom.hand_in("s01")
    classroom.score("s01", double=3, size=0, reason=0)
    classroom.record("s01", second=NotebookResult(Status.NOT_SUBMITTED))
    row = classroom.row("s01", "size")
    assert (row["status"], row["score"]) == ("not submitted", "0")
    assert classroom.row("s01", "double")["status"] == "graded"


def test_what_confined_nothing_is_said(classroom):
    classroom.hand_in("s01")
    classroom.score("s01", double=3)
    SubmissionResult("s01", "tiny", "", [], {"1_double": NotebookResult(Status.GRADED)}).write(
        classroom.course.root / REPORTS / "s01" / "tiny"
    )
    assert classroom.row("s01", "double")["sandbox"] == "none"


def test_lateness_is_in_each_row_of_the_notebook(classroom):
    classroom.hand_in("s01")
    classroom.score("s01", penalty=0.5, double=3)
    classroom.record("s01")
    assert {row["late_penalty"] for row in classroom.export()} == {"0.5"}


@pytest.mark.parametrize("student", ["a b", "br[1]", "d'Arc", 'q"x"', "müller", "a*", "a,b;c"])
def test_any_student_id_is_exported(classroom, student):
    classroom.hand_in(student)
    classroom.score(student, double=3, size=1)
    classroom.record(student)
    assert classroom.row(student, "double")["status"] == "graded"


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@x", "\t=1", "\r=1"])
def test_a_spreadsheet_runs_no_formula_of_a_students(classroom, text):
    classroom.hand_in("s01")
    classroom.score("s01", double=0)
    question = QuestionResult("1_double", Status.GRADED, 0, 3, [text], text)
    classroom.record("s01", double=question)
    row = classroom.row("s01", "double")
    assert row["reason"] == row["mistake"] == f"'{text}"


def test_the_export_can_be_limited_to_students_and_assignments(classroom):
    classroom.add_lesson("other")
    for student in ("s01", "s02"):
        for lesson in ("tiny", "other"):
            classroom.hand_in(student, lesson)
    rows = classroom.export(student=["s02"], assignment=["tiny"])
    assert {(row["assignment"], row["student_id"]) for row in rows} == {("tiny", "s02")}
    assert len(classroom.export()) == 12


def test_without_the_lesson_the_cells_names_stand_for_the_questions(classroom):
    classroom.add_lesson("other")
    classroom.hand_in("s01", "other")
    names = [row["question"] for row in classroom.export(assignment=["other"])]
    assert names == ["double_check", "reason", "size_check"]


def test_the_file_goes_where_it_is_asked_for(classroom, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    Export(config=classroom.course.config).export(classroom.gradebook)
    assert (tmp_path / "grades.csv").read_text().startswith("assignment,student_id,")
