"""Nothing of a student's can be committed by accident."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner
from support.grading import run, submit
from support.lessons import ROOT, write_tiny_course

from autograder.commands.cli import main


def git(folder: Path, *command: str) -> str:
    identity = ("-c", "user.name=test", "-c", "user.email=test@localhost")
    done = subprocess.run(
        ["git", *identity, *command], cwd=folder, capture_output=True, text=True, check=True
    )
    return done.stdout


@pytest.mark.slow
def test_what_a_course_writes_about_students_is_ignored_under_any_name(tmp_path):
    root = write_tiny_course(tmp_path / "course")
    for name in (".gitignore", "README.md", "Makefile", "constraints.txt"):
        shutil.copy(ROOT / name, root)
    assert CliRunner().invoke(main, ["--course", str(root), "build"]).exit_code == 0
    git(root, "init", "--quiet")
    git(root, "add", "-A")
    committed = git(root, "ls-files").split()
    assert "release/tiny/1_double.ipynb" in committed
    assert "gradebook.db" not in committed
    git(root, "commit", "--quiet", "-m", "The course")

    (root / "students.csv").write_text("id\ns01\ns02\n", encoding="utf-8")
    run(root, "nbgrader", "db", "student", "import", "students.csv")
    run(root, "nbgrader", "release_assignment", "tiny")
    submit(root, "s01")
    (root / "downloaded" / "tiny" / "archive").mkdir(parents=True)
    (root / "downloaded" / "tiny" / "archive" / "all.zip").touch()
    run(root, "autograder.commands.cli", "grade", "tiny")
    run(root, "nbgrader", "generate_feedback", "tiny")
    (root / "out").mkdir()
    for name in ("grades.csv", "marks.txt", "out/marks.csv"):
        run(root, "nbgrader", "export", "--to", name)
    run(root, "autograder.commands.cli", "report", "tiny", "--names", "--output", "class.html")
    for name in ("copy.db", "gradebook.db-wal", "gradebook.db.bak", "all.zip"):
        (root / name).touch()
    assert (root / "out" / "marks_by_student.csv").is_file()
    assert git(root, "status", "--porcelain") == ""


def test_no_file_of_the_project_is_ignored():
    try:
        hidden = git(ROOT, "ls-files", "--cached", "--ignored", "--exclude-standard")
    except (OSError, subprocess.CalledProcessError):
        # Not a clone: the rules are read all the same, by names.
        rules = (ROOT / ".gitignore").read_text(encoding="utf-8")
        assert "!/lessons/" in rules
        return
    assert hidden == ""
