"""`autograder grade`: a whole class, several submissions at a time."""

from __future__ import annotations

import io
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future
from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner
from rich.console import Console
from support.grading import (
    BAD,
    KILL,
    KILL_ONCE,
    WAIT,
    assert_gone,
    assert_same,
    copy_class,
    files,
    grade,
    offspring,
    start,
    step,
    submit,
    until,
)

from autograder.commands import pool, progress
from autograder.commands.cli import main
from autograder.commands.grade import BEFORE, FAILED, GRADED, NOT_GRADABLE, Result, Task
from autograder.results import read_result

# A class that nbgrader's own command grades ------------------------------------------------------


@pytest.fixture(scope="module", params=[1, 2])
def graded(request: pytest.FixtureRequest, made: Path) -> tuple[Path, str]:
    """The class graded with one and with two jobs, and what was printed."""
    root = copy_class(made, f"graded{request.param}")
    _, out, err = grade(root, "--jobs", str(request.param), status=1)
    assert err == ""
    return root, out


@pytest.fixture
def temporary() -> Iterator[Path]:
    """A folder for temporary files whose path is short enough for sockets."""
    folder = Path(tempfile.mkdtemp(prefix="t"))
    yield folder
    shutil.rmtree(folder)


def left_behind(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir() if path.name.startswith("ag-")]


@pytest.mark.slow
def test_rows_notebooks_and_reports_are_those_of_nbgrader_autograde(graded, stock):
    root, _ = graded
    assert [path.name for path in root.glob("gradebook.db*")] == ["gradebook.db"]
    assert_same(root, stock)


@pytest.mark.slow
def test_progress_is_a_line_for_each_submission_and_each_failure(graded):
    out = graded[1]
    lines = out.splitlines()
    assert f"{BAD}: not gradable: 1_double: the file is a web page (HTML)" in out
    assert [line.split(",")[0] for line in lines if " of 4" in line] == [
        f"{number} of 4" for number in (1, 2, 3, 4)
    ]
    assert "s left" in out
    numbers = lines[-2].replace("│", " ").split()
    assert numbers[:5] == ["4", "3", "1", "0", "0"]
    assert not any("STUDENT CODE" in line or "WARNING" in line for line in lines)
    assert "\x1b" not in out


@pytest.mark.slow
def test_a_second_run_leaves_alone_what_has_been_graded(graded, stock):
    root, _ = graded
    stamps = {name: (root / name).stat().st_mtime_ns for name in files(root)}
    _, out, _ = grade(root, "--jobs", "1", status=1)
    assert out.splitlines()[-2].replace("│", " ").split()[:5] == ["4", "0", "1", "0", "3"]
    for name, stamp in stamps.items():
        again = (root / name).stat().st_mtime_ns
        assert (again == stamp) is (f"/{BAD}/" not in name), name
    assert_same(root, stock)


@pytest.mark.slow
def test_an_unfinished_submission_a_new_one_and_a_forced_one_are_graded_again(made, stock):
    root = copy_class(made, "again")
    grade(root, "--jobs", "1", status=1)
    (root / "reports" / "s01" / "tiny" / "report.json").unlink()
    (root / "autograded" / "s01" / "tiny" / "2_count.ipynb").unlink()
    (root / "autograded" / "s01" / "tiny" / "half.txt").touch()
    submit(root, "s02", "2026-01-16 12:00:00 UTC")  # the right answer this time
    _, out, _ = grade(root, "--jobs", "1", status=1)
    assert out.splitlines()[-2].replace("│", " ").split()[:5] == ["4", "2", "1", "0", "1"]
    assert_same(root, stock, without=("s02",))
    report = read_result(root / "reports" / "s02" / "tiny")
    assert report is not None
    assert report.questions["double"].points == 3
    _, out, _ = grade(root, "--force", "--student", "b[1] é")
    assert out.splitlines()[-2].replace("│", " ").split()[:5] == ["1", "1", "0", "0", "0"]
    assert_same(root, stock, without=("s02",))


# Killed and stopped -----------------------------------------------------------------------------


@pytest.mark.slow
def test_a_killed_grading_process_loses_nothing(made, stock):
    root = copy_class(made, "killed", only_good=True)
    flag, _ = step(root, KILL_ONCE)
    _, out, err = grade(root, "--jobs", "2")
    assert flag.exists()
    assert err == ""
    assert out.splitlines()[-2].replace("│", " ").split()[:5] == ["3", "3", "0", "0", "0"]
    assert_same(root, stock, without=(BAD,))


@pytest.mark.slow
def test_a_submission_that_kills_its_process_is_named_and_the_next_run_completes(
    made, stock, temporary
):
    root = copy_class(made, "killer", only_good=True)
    _, undo = step(root, KILL)
    process = start(
        root,
        "autograder.commands.cli",
        "grade",
        "tiny",
        "--jobs",
        "2",
        env={"TMPDIR": str(temporary)},
    )
    out, err = process.communicate()
    assert (process.returncode, err) == (1, "")
    assert f"s01: failed: {pool.DIED}" in out
    assert left_behind(temporary) == []
    assert_same(root, stock, without=(BAD, "s01"))
    report = read_result(root / "reports" / "s01" / "tiny")
    assert report is not None
    assert set(report.not_gradable) == {"1_double", "2_count"}
    undo()
    grade(root, "--jobs", "2")
    assert_same(root, stock, without=(BAD,))


@pytest.mark.slow
def test_killing_the_coordinator_ends_all_and_the_next_run_completes(made, stock, temporary):
    root = copy_class(made, "coordinator", only_good=True)
    flag, undo = step(root, WAIT)
    process = start(
        root,
        "autograder.commands.cli",
        "grade",
        "tiny",
        "--jobs",
        "2",
        env={"TMPDIR": str(temporary)},
    )
    until(flag.exists, "second notebook")
    processes = offspring(process)
    process.kill()
    process.communicate()
    assert_gone(processes)
    until(lambda: not left_behind(temporary), "end of temporary files")
    assert not (root / "reports" / "s01").exists()
    undo()
    grade(root, "--jobs", "2")
    assert_same(root, stock, without=(BAD,))


@pytest.mark.slow
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_ctrl_c_stops_cleanly_and_the_next_run_goes_on(made, stock, temporary, jobs):
    root = copy_class(made, f"stopped{jobs}", only_good=True)
    flag, undo = step(root, WAIT)
    process = start(
        root,
        "autograder.commands.cli",
        "grade",
        "tiny",
        "--jobs",
        jobs,
        env={"TMPDIR": str(temporary)},
    )
    until(flag.exists, "second notebook")
    processes = offspring(process)
    os.killpg(process.pid, signal.SIGINT)
    _, err = process.communicate()
    assert process.returncode == 130
    assert "Traceback" not in err
    assert " of 3. To go on, run the same command again." in err
    assert_gone(processes)
    assert list(temporary.iterdir()) == []
    assert not (root / "reports" / "s01").exists()
    undo()
    grade(root, "--jobs", jobs)
    assert_same(root, stock, without=(BAD,))


# Errors that people can mend --------------------------------------------------------------------


@pytest.fixture
def call(made: Path, tmp_path: Path):
    """Calls the command in a course that has been released, with options for its gradebook."""
    root = Path(shutil.copytree(made, tmp_path / "course"))

    def call(*arguments: str, db_url: str = ""):
        if db_url:
            file = root / "nbgrader_config.py"
            text = f"\nc.CourseDirectory.db_url = {db_url!r}\n"
            file.write_text(file.read_text("utf-8") + text, encoding="utf-8")
        return CliRunner().invoke(main, ["--course", str(root), "grade", *arguments])

    return call


def assert_one_sentence(result, *parts: str) -> None:
    assert result.exit_code == 2
    assert result.stdout == ""
    [text] = result.stderr.splitlines()
    for part in parts:
        assert part in text


POSTGRES = "postgresql+psycopg://teacher:secret@localhost:1/grades"


def test_unknown_lessons_and_students_are_named(call):
    assert_one_sentence(call("none"), "no lesson 'none'", "the lessons are: tiny")
    assert_one_sentence(
        call("tiny", "--student", "s99"), "No student 's99' has handed in tiny", "nbgrader collect"
    )


def test_a_missing_gradebook_is_named(call, tmp_path):
    (tmp_path / "course" / "gradebook.db").unlink()
    assert_one_sentence(call("tiny"), "no gradebook", "Run: autograder build tiny")


def test_a_gradebook_that_cannot_be_reached_is_named_without_its_password(call):
    result = call("tiny", db_url=POSTGRES)
    assert_one_sentence(result, "teacher:***@localhost:1/grades cannot be opened: ")
    assert "secret" not in result.stderr


def test_a_missing_driver_is_named(call, monkeypatch):
    monkeypatch.setitem(sys.modules, "psycopg2", None)
    result = call("tiny", db_url=POSTGRES.replace("psycopg", "psycopg2"))
    assert_one_sentence(result, "package psycopg2", 'pip install "psycopg[binary]"')


def test_an_address_of_no_database_is_named(call):
    assert_one_sentence(call("tiny", db_url="nonsense"), "c.CourseDirectory.db_url")


def test_a_cluster_with_an_sqlite_gradebook_is_refused(call):
    assert_one_sentence(
        call("tiny", "--scheduler", "tcp://127.0.0.1:1"),
        "cannot share the SQLite gradebook",
        "c.CourseDirectory.db_url",
        "PostgreSQL",
    )


def test_a_cluster_without_the_package_is_one_sentence(call, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    result = call("tiny", "--scheduler", "tcp://127.0.0.1:1", db_url=POSTGRES)
    assert_one_sentence(result, 'pip install "distributed>=2024"')


def test_jobs_and_scheduler_do_not_go_together(call):
    result = call("tiny", "--scheduler", "tcp://127.0.0.1:1", "--jobs", "2")
    assert result.exit_code == 2
    assert "--jobs is for this machine" in result.stderr


@pytest.mark.parametrize("jobs", ["0", "-1", "two"])
def test_jobs_is_a_positive_number(call, jobs):
    assert call("tiny", "--jobs", jobs).exit_code == 2


# Executors that misbehave ------------------------------------------------------------------------


class Faulty(Executor):
    """An executor whose tasks end as told."""

    def __init__(self, ends: dict[str, object]) -> None:
        self.ends = ends

    def submit(self, fn, /, task, **_):
        future: Future[Result] = Future()
        end = self.ends[task.student]
        if isinstance(end, Exception):
            future.set_exception(end)
        else:
            future.set_result(Result(task.student, str(end)))
        return future


def test_errors_of_an_executor_are_results_and_no_other_task_is_lost(course):
    ends = {"a": GRADED, "b": OSError("the\nnetwork"), "c": CancelledError(), "d": GRADED}

    @contextmanager
    def opened(_: int):
        yield Faulty(ends)

    todo = [Task(str(course.root), "none", student) for student in ends]
    found = {one.student: one for one in pool.results(todo, pool.Backend(opened, 2))}
    assert {name: one.status for name, one in found.items()} == {
        "a": GRADED,
        "b": FAILED,
        "c": FAILED,
        "d": GRADED,
    }
    assert found["b"].why == "OSError: the network"
    assert "cancelled" in found["c"].why


class Lossy(Executor):
    """An executor that does its tasks and dies once, before it has told what came of them."""

    died = False

    def submit(self, fn, /, task, **_):
        future: Future[Result] = Future()
        result = fn(task)
        if Lossy.died:
            future.set_result(result)
        else:
            Lossy.died = True
            future.set_exception(BrokenExecutor())
        return future


@pytest.mark.slow
def test_what_was_graded_before_word_of_it_was_lost_counts_as_graded_now(made):
    root = copy_class(made, "lossy", only_good=True)
    todo = [Task(str(root), "tiny", "s01")]

    @contextmanager
    def opened(_: int):
        yield Lossy()

    backend = pool.Backend(opened, 1)
    report = root / "reports" / "s01" / "tiny" / "report.json"
    for status in (GRADED, BEFORE):
        Lossy.died = False
        assert [one.status for one in pool.results(todo, backend)] == [status]
        assert Lossy.died
        os.utime(report, (0, 0))  # as of a run long ago


# Progress ---------------------------------------------------------------------------------------


def shown(total: int, results: list[Result], terminal: bool) -> str:
    stream = io.StringIO()
    console = Console(file=stream, force_terminal=terminal, width=100, color_system=None)
    with progress.shown(console, total) as show:
        for result in results:
            show(result)
    console.print(progress.summary(results, 2.0))
    return stream.getvalue()


def test_a_large_class_prints_few_plain_lines():
    out = shown(1000, [Result(f"s{n}", GRADED) for n in range(1000)], terminal=False)
    lines = [line for line in out.splitlines() if " of 1000" in line]
    assert len(lines) == progress.PLAIN_LINES
    assert lines[0].startswith("50 of 1000, ")
    assert lines[-1].startswith("1000 of 1000, ")


def test_a_terminal_gets_a_bar_with_count_rate_and_time_left():
    out = shown(3, [Result(f"s{n}", GRADED) for n in range(3)], terminal=True)
    assert "3/3" in out
    assert "━" in out
    assert "/s" in out
    assert "0:00:00" in out


@pytest.mark.parametrize("terminal", [False, True])
def test_a_bad_submission_is_one_line(terminal):
    bad = [
        Result("s1", NOT_GRADABLE, reasons={"1_a": "not\nJSON", "2_b": "[empty]"}, log=("quiet",)),
        Result("s2", FAILED, error="no disk", log=("no disk", "the disk is [full]")),
        Result("s3", BEFORE),
    ]
    out = shown(3, bad, terminal)
    assert "s1: not gradable: 1_a: not JSON; 2_b: [empty]" in out
    assert "s2: failed: no disk" in out
    assert "the disk is [full]" in out
    assert out.count("no disk") == 1
    assert "quiet" not in out
    assert "s3" not in out


@pytest.mark.parametrize(
    ("number", "seconds", "text"),
    [(0, 5, ""), (3, 0, ""), (30, 10, "3.0/s"), (1, 10, "6.0/min")],
)
def test_a_rate_is_readable(number, seconds, text):
    assert progress.rate(number, seconds) == text
