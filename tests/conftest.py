"""A tiny lesson for the tests: two short notebooks, and helpers to solve, damage and judge them."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from support import parts
from support.lessons import ROOT, write_tiny_course

from autograder.course import Course, load_course
from autograder.lesson.model import Lesson, Notebook

# The same examples at every run, and no stopwatch: the tests also run on busy machines.
settings.register_profile(
    "course",
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("course")

# Options, and what is left out where a program is missing (see parts.py) ------------------------


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--pictures", action="store_true", help="make the README's pictures in docs/images/ anew"
    )
    parser.addoption(
        parts.REQUIRE_ALL,
        action="store_true",
        help="fail where a test would be skipped, as with CI=true in the environment",
    )


@pytest.hookimpl(tryfirst=True)  # before any fixture that needs the program
def pytest_runtest_setup(item: pytest.Item) -> None:
    parts.check(item)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, Any, Any]:
    report = yield
    if parts.all_required(item.config):
        parts.refuse_skip(report)
    return report


@pytest.hookimpl(wrapper=True, tryfirst=True)  # below all other summaries
def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> Generator[None]:
    yield
    ended = ("passed", "skipped", "failed", "error")
    line = parts.summary(r for kind in ended for r in terminalreporter.stats.get(kind, ()))
    if line:
        terminalreporter.write_line(line, red=True, bold=True)


@pytest.fixture
def pictures(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """The folder for pictures of what a test sees."""
    return ROOT / "docs" / "images" if request.config.getoption("--pictures") else tmp_path


# The tiny lesson --------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def course(tmp_path_factory: pytest.TempPathFactory) -> Course:
    """A course with the tiny lesson, for all tests that only read it."""
    return load_course(write_tiny_course(tmp_path_factory.mktemp("course")))


@pytest.fixture(scope="session")
def lesson(course: Course) -> Lesson:
    return course.lesson("tiny")


@pytest.fixture
def first(lesson: Lesson) -> Notebook:
    """The notebook with the question ``double`` (3 points, one of them for an edge case)."""
    return lesson.notebook("1_double")


@pytest.fixture
def second(lesson: Lesson) -> Notebook:
    """The notebook with the questions ``size`` (1 point) and ``reason`` (2 points, by hand)."""
    return lesson.notebook("2_count")
