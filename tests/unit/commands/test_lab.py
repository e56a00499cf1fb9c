"""`autograder lab`: a copy that loses nothing, a server that shows what its role may see."""

from __future__ import annotations

import json
import os
import pty
import shutil
import signal
import stat
import subprocess
import urllib.error
from pathlib import Path

import pytest
from click.testing import CliRunner
from support import lab_server
from support.grading import PATIENCE, run
from support.lessons import ROOT, write_tiny_course

from autograder.authoring.build import release
from autograder.commands import lab
from autograder.commands.cli import main
from autograder.commands.lab import Role
from autograder.course import Course, load_course
from autograder.errors import CourseError

FIRST, SECOND, DATA = "one/1_a.ipynb", "one/2_b.ipynb", "two/data/points.csv"


@pytest.fixture
def course(tmp_path) -> Course:
    """A course whose release has two assignments, one of them with a folder."""
    root = tmp_path / "course"
    for name in (FIRST, SECOND, DATA, "one/README.md", "one/.ipynb_checkpoints/1_a.ipynb"):
        file = root / "release" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(f"{name}\r\n".encode())
    shutil.copy(ROOT / "nbgrader_config.py", root)
    return load_course(root)


def names(paths) -> list[str]:
    return [path.relative_to(lab.WORK).as_posix() for path in paths]


def state(folder: Path) -> dict[str, object]:
    """Return what can be lost of each file in a folder: content, mode, time, target of a link."""
    found: dict[str, object] = {}
    for path in sorted(folder.rglob("*")):
        info = path.lstat()
        what = os.readlink(path) if path.is_symlink() else path.is_file() and path.read_bytes()
        found[str(path.relative_to(folder))] = (
            what,
            stat.S_IMODE(info.st_mode),
            info.st_mtime_ns if not path.is_dir() else None,
        )
    return found


# The copy ---------------------------------------------------------------------------------------


def test_all_assignments_are_copied_byte_for_byte(course):
    done = lab.copy_release(course)
    assert names(done.added) == ["one/1_a.ipynb", "one/2_b.ipynb", "one/README.md", DATA]
    assert (done.kept, done.blocked) == ([], [])
    for name in names(done.added):
        copy = course.root / "work" / name
        assert copy.read_bytes() == (course.root / "release" / name).read_bytes()
    assert not (course.root / "work" / "one" / ".ipynb_checkpoints").exists()


def test_a_second_copy_changes_nothing(course):
    added = lab.copy_release(course).added
    before = state(course.root / "work")
    done = lab.copy_release(course)
    assert (done.added, done.kept) == ([], added)
    assert state(course.root / "work") == before


def _edit(file: Path) -> None:
    file.write_bytes(b"days of work")


def _empty(file: Path) -> None:
    file.write_bytes(b"")


def _protect(file: Path) -> None:
    _edit(file)
    file.chmod(0o400)


def _link(file: Path) -> None:
    file.rename(file.with_name("elsewhere"))
    file.symlink_to("elsewhere")


def _break_link(file: Path) -> None:
    file.unlink()
    file.symlink_to("nowhere")


def _replace_by_folder(file: Path) -> None:
    file.unlink()
    file.mkdir()
    (file / "notes").write_bytes(b"days of work")


@pytest.mark.parametrize(
    "change", [_edit, _empty, _protect, _link, _break_link, _replace_by_folder]
)
def test_no_character_of_existing_work_is_touched(course, change):
    lab.copy_release(course)
    change(course.root / "work" / FIRST)
    (course.root / "work" / "one" / "own.ipynb").write_bytes(b"own")
    (course.root / "work" / SECOND).unlink()
    before = state(course.root / "work")
    done = lab.copy_release(course)
    assert names(done.added) == [SECOND]
    assert course.root / "work" / FIRST in [course.root / path for path in done.kept]
    after = state(course.root / "work")
    assert after.pop(SECOND)
    assert after == before
    assert not (course.root / "work" / "one" / "nowhere").exists()


def test_what_is_new_in_the_release_is_added(course):
    lab.copy_release(course)
    _edit(course.root / "work" / FIRST)
    new = course.root / "release" / "three" / "1_c.ipynb"
    new.parent.mkdir()
    new.write_bytes(b"new")
    (course.root / "release" / FIRST).write_bytes(b"a newer first notebook")
    assert names(lab.copy_release(course).added) == ["three/1_c.ipynb"]
    assert (course.root / "work" / FIRST).read_bytes() == b"days of work"
    assert (course.root / "work" / "three" / "1_c.ipynb").read_bytes() == b"new"


def test_what_has_left_the_release_stays(course):
    lab.copy_release(course)
    shutil.rmtree(course.root / "release" / "two")
    before = state(course.root / "work")
    assert lab.copy_release(course).added == []
    assert state(course.root / "work") == before


def test_the_copy_of_a_protected_release_can_be_worked_in(course):
    (course.root / "release" / FIRST).chmod(0o444)
    lab.copy_release(course)
    assert (course.root / "work" / FIRST).stat().st_mode & stat.S_IWUSR


def test_nothing_is_written_through_a_linked_folder(course, tmp_path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (course.root / "work").mkdir()
    (course.root / "work" / "one").symlink_to(elsewhere)
    done = lab.copy_release(course)
    assert names(done.blocked) == ["one"]
    assert names(done.added) == [DATA]
    assert list(elsewhere.iterdir()) == []


def test_a_file_in_the_place_of_a_folder_is_left_alone(course):
    file = course.root / "work" / "two" / "data"
    file.parent.mkdir(parents=True)
    file.write_bytes(b"days of work")
    done = lab.copy_release(course)
    assert names(done.blocked) == ["two/data"]
    assert names(done.added) == ["one/1_a.ipynb", "one/2_b.ipynb", "one/README.md"]
    assert file.read_bytes() == b"days of work"


def test_the_work_folder_itself_may_be_a_link(course, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (course.root / "work").symlink_to(tmp_path / "elsewhere")
    assert len(lab.copy_release(course).added) == 4
    assert (tmp_path / "elsewhere" / FIRST).is_file()


def test_half_a_copy_is_no_work(course, monkeypatch):
    whole = Path.open

    class Full:
        def __init__(self, stream):
            self.stream = stream

        def __enter__(self):
            return self

        def __exit__(self, *_):
            self.stream.close()

        def write(self, content):
            self.stream.write(content[:3])
            raise OSError(28, "No space left on device")

    def fill(self, mode="r"):
        return Full(whole(self, mode)) if "x" in mode else whole(self, mode)

    monkeypatch.setattr(Path, "open", fill)
    with pytest.raises(CourseError, match="cannot be used: No space left on device"):
        lab.copy_release(course)
    assert not (course.root / "work" / FIRST).exists()


def test_without_a_release_the_command_says_what_to_run(course):
    shutil.rmtree(course.root / "release")
    with pytest.raises(CourseError, match=r"There is nothing in .*release\. Run: autograder build"):
        lab.copy_release(course)


def test_a_work_file_is_named(course):
    (course.root / "work").write_bytes(b"days of work")
    with pytest.raises(CourseError, match="work"):
        lab.copy_release(course)
    assert (course.root / "work").read_bytes() == b"days of work"


# The command ------------------------------------------------------------------------------------


@pytest.fixture
def call(course, monkeypatch):
    """Runs the command without a server; returns its result and the options of the server."""
    served = []
    monkeypatch.setattr(lab, "serve", lambda _, role, options: served.append((role, options)))

    def call(*options):
        served.clear()
        done = CliRunner().invoke(main, ["--course", str(course.root), "lab", *options])
        return done, served

    return call


def test_the_command_says_what_it_added_and_what_it_left_alone(call, course, tmp_path):
    done, served = call()
    assert done.stdout.splitlines() == [
        "Added work/one/1_a.ipynb",
        "Added work/one/2_b.ipynb",
        "Added work/one/README.md",
        "Added work/two/data/points.csv",
    ]
    assert served == [(Role.STUDENT, [])]
    (course.root / "work" / SECOND).unlink()
    shutil.rmtree(course.root / "work" / "two")
    (course.root / "work" / "two").symlink_to(tmp_path)
    done, _ = call()
    assert done.stdout.splitlines() == [
        "Added work/one/2_b.ipynb",
        "Left alone what was in work/: 2 files",
        "Added nothing to work/two, which is a link or not a folder",
    ]


def test_options_reach_the_server(call):
    done, [served] = call("--port", "9999", "--no-browser", "--ServerApp.ip=127.0.0.1")
    assert done.exit_code == 0
    assert served == (
        Role.STUDENT,
        ["--port=9999", "--no-browser", "--ServerApp.ip=127.0.0.1"],
    )


def test_an_instructor_gets_no_copy(call, course):
    done, served = call("--role", "instructor")
    assert (done.stdout, served) == ("", [(Role.INSTRUCTOR, [])])
    assert not (course.root / "work").exists()


def test_an_error_is_one_sentence(call, course):
    shutil.rmtree(course.root / "release")
    done, served = call()
    assert (done.exit_code, served) == (2, [])
    assert len(done.stderr.splitlines()) == 1


def test_make_passes_the_role_on():
    for options, role in (([], "student"), (["ROLE=instructor"], "instructor")):
        said = subprocess.run(
            [
                "make",
                "--no-print-directory",
                "--dry-run",
                "--old-file=.venv/.ready",
                "lab",
                *options,
            ],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
        )
        assert said.stdout.rstrip().endswith(f"autograder lab --role {role}")


# The server -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def released(tmp_path_factory) -> Path:
    """A course with the tiny lesson in its exchange."""
    root = write_tiny_course(tmp_path_factory.mktemp("lab") / "course")
    release(load_course(root), "tiny")
    run(root, "nbgrader", "release_assignment", "tiny")
    return root


@pytest.fixture(scope="module")
def student(released, tmp_path_factory):
    with lab_server.running(released, tmp_path_factory.mktemp("student")) as server:
        yield server


@pytest.fixture(scope="module")
def instructor(released, tmp_path_factory):
    folder = tmp_path_factory.mktemp("instructor")
    with lab_server.running(released, folder, "--role=instructor") as server:
        yield server


def listed(server) -> set[str]:
    return {each["name"] for each in server.get("api/contents")["content"]}


@pytest.mark.slow
def test_a_student_sees_the_work_folder_only(student):
    assert listed(student) == {"tiny"}


@pytest.mark.slow
@pytest.mark.parametrize(
    "path",
    [
        "formgrader",
        "formgrader/api/assignments",
        "formgraders",
        "files/..%2Fnbgrader_config.py",
        "api/contents/..%2Flessons",
    ],
)
def test_a_students_server_serves_nothing_of_the_instructors(student, path):
    with pytest.raises(urllib.error.HTTPError) as error:
        student.get(path)
    assert error.value.code in (403, 404)


@pytest.mark.slow
def test_a_student_can_hand_in_by_the_assignment_list(student, released):
    [found] = student.get("assignments?course_id=mini-gpt")["value"]
    assert (found["status"], found["path"]) == ("fetched", "tiny")
    order = {"course_id": "mini-gpt", "assignment_id": "tiny"}
    assert student.get("assignments/submit", order)["success"]
    [handed_in] = (released / "exchange" / "mini-gpt" / "inbound").iterdir()
    assert {path.name for path in handed_in.glob("*.ipynb")} == {"1_double.ipynb", "2_count.ipynb"}


@pytest.mark.slow
def test_a_student_can_validate(student):
    answer = student.get("assignments/validate", {"path": "tiny/1_double.ipynb"})
    [failed] = answer["value"]["failed"]
    assert "NotImplementedError" in failed["error"]
    assert "double([1, 2]) should be [2, 4]" in failed["source"]


@pytest.mark.slow
def test_an_instructor_gets_the_course_with_formgrader(instructor):
    assert {"lessons", "release"} <= listed(instructor)
    [found] = instructor.get("formgrader/api/assignments")
    assert (found["name"], found["status"]) == ("tiny", "released")


@pytest.mark.slow
@pytest.mark.parametrize("terminal", [False, True], ids=["without a terminal", "in a terminal"])
def test_one_ctrl_c_ends_the_server_and_leaves_the_users_configuration_alone(
    released, tmp_path, terminal
):
    master, slave = pty.openpty()
    try:
        stdin = slave if terminal else subprocess.DEVNULL
        with lab_server.running(released, tmp_path, stdin=stdin) as server:
            server.process.send_signal(signal.SIGINT)
            assert server.process.wait(PATIENCE) == 0
    finally:
        os.close(master)
        os.close(slave)
    config = tmp_path / "config"
    assert {path.name for path in config.rglob("*")} <= {"migrated"}
    assert not (tmp_path / ".jupyter").exists()


@pytest.mark.parametrize("role", Role)
def test_news_are_off_and_each_role_has_its_own_menu(course, role):
    page = json.loads((lab.SETTINGS / role.value / "labconfig" / "page_config.json").read_text())
    disabled = page["disabledExtensions"]
    assert "@jupyterlab/apputils-extension:announcements" in disabled
    assert ("@jupyter/nbgrader:formgrader" in disabled) == (role is Role.STUDENT)
    assert ("@jupyter/nbgrader:assignment-list" in disabled) == (role is Role.INSTRUCTOR)
    assert "@jupyter/nbgrader:validate-assignment" not in disabled
