"""`make demo`, which is ``python -m examples``, on the real lesson."""

from __future__ import annotations

import csv
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner
from support.lessons import ROOT

from autograder.course import load_course
from autograder.report import figures as report
from examples.__main__ import main

LESSON = "lesson4_learned_positions"
MISCONCEPTIONS = {
    "s04": "add_positions",
    "s05": "positional_backward",
    "s06": "numerical_gradient",
    "s07": "position_vector",
    "s08": "make_position_table",
}


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The demo run in a copy of the course, and what it printed."""
    root = tmp_path_factory.mktemp("demo")
    for name in ("lessons", "tests/submissions"):
        shutil.copytree(ROOT / name, root / name)
    shutil.copy(ROOT / "nbgrader_config.py", root)
    before = snapshot(root)
    done = CliRunner().invoke(main, ["--course", str(root)])
    assert done.exit_code == 0, done.output
    assert snapshot(root) == before
    return root / "demo", done.output


def snapshot(root: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(root)): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file() and path.relative_to(root).parts[0] != "demo"
    }


def scores(folder: Path) -> dict[str, dict[str, float | None]]:
    found: dict[str, dict[str, float | None]] = {}
    with (folder / "grades.csv").open(newline="", encoding="utf-8") as stream:
        for row in csv.DictReader(stream):
            score = float(row["score"]) if row["score"] else None
            found.setdefault(row["student_id"], {})[row["question"]] = score
    return found


def test_the_table_shows_every_student(demo):
    folder, output = demo
    assert len(scores(folder)) == 14
    for student in scores(folder):
        assert f" {student} " in output
    assert "demo/grades.csv" in output


def test_perfect_is_the_maximum_blank_is_zero_and_odd_or_damaged_loses_nothing(demo):
    found = scores(demo[0])
    perfect = found["s02"]
    assert perfect["exercise3_reason"] is None  # waits for a person
    assert sum(points or 0 for points in perfect.values()) == 38
    assert all(points == 0 for points in found["s11"].values())
    for student in ("s03", "s12", "s13", "s14"):
        assert found[student] == perfect


def test_each_misconception_loses_its_own_question_only_and_is_explained(demo):
    folder, _ = demo
    found = scores(folder)
    for student, question in MISCONCEPTIONS.items():
        lost = {name for name, points in found[student].items() if points != found["s02"][name]}
        assert lost == {question}
        assert found[student][question] == 0
        pages = (folder / "feedback" / student / LESSON).glob("*.html")
        assert any("It looks like this answer" in page.read_text("utf-8") for page in pages)


def test_the_planted_misconceptions_are_the_commonest_mistakes(demo):
    folder, output = demo
    found = report.read(load_course(folder), LESSON)
    commonest, *others = found.mistakes
    assert (commonest.where, commonest.count) == ("add_positions", 2)
    assert {mistake.count for mistake in others} == {1}
    assert {mistake.where for mistake in found.mistakes} == set(MISCONCEPTIONS.values())
    assert found.lost == found.named + found.blank
    assert f"Class report:   demo/reports/{LESSON}.html" in output
    page = (folder / "reports" / f"{LESSON}.html").read_text(encoding="utf-8")
    assert all(mistake.text in page for mistake in found.mistakes)
    assert not any(student in page for student in scores(folder))


def test_a_folder_of_the_same_name_that_is_not_the_demos_is_left_alone(tmp_path):
    shutil.copy(ROOT / "nbgrader_config.py", tmp_path)
    shutil.copytree(ROOT / "lessons", tmp_path / "lessons")
    shutil.copytree(ROOT / "tests" / "submissions", tmp_path / "tests" / "submissions")
    precious = tmp_path / "demo" / "mine.txt"
    precious.parent.mkdir()
    precious.write_text("keep", encoding="utf-8")
    done = CliRunner().invoke(main, ["--course", str(tmp_path)])
    assert done.exit_code == 2
    assert "was not made by the demo" in done.output
    assert precious.read_text(encoding="utf-8") == "keep"


@pytest.mark.parametrize(
    ("files", "sentence"),
    [
        ([], "There is no nbgrader_config.py in "),
        (["nbgrader_config.py"], "There is no demo class: the file tests/submissions/demo_class"),
    ],
)
def test_what_is_missing_is_named_in_one_sentence(tmp_path, monkeypatch, files, sentence):
    for name in files:
        shutil.copy(ROOT / name, tmp_path)
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(main)
    assert done.exit_code == 2
    assert done.stdout == ""
    [line] = done.stderr.splitlines()
    assert line.startswith(sentence)


def test_make_runs_it():
    rule = (ROOT / "Makefile").read_text(encoding="utf-8").split("\ndemo: ")[1]
    assert rule.split("\n")[1] == "\t$(BIN)/python -m examples"
