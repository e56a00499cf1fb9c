"""JupyterLab for a student, in a copy of the release, or for an instructor, in the course itself.

Everything that makes the difference is given to this one server: folders of configuration, which
Jupyter and nbgrader read before the user's own. Nothing is written to ``~/.jupyter`` but what
JupyterLab itself keeps there.
"""

from __future__ import annotations

import contextlib
import enum
import fnmatch
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from nbgrader.exchange.default import Exchange

from autograder.course import CONFIG_FILE, Course
from autograder.errors import CourseError

WORK = "work"
"""Folder of the student's own copies, in the course's root."""

STATE = Path(".autograder") / "lab"
"""Where a server keeps its workspaces and the course's part of its settings, below the root."""

SETTINGS = Path(__file__).with_name("settings")
"""The settings of each role's server: which of nbgrader's extensions it offers, and no news.

A student's server must not answer for the gradebook, and an instructor's assignment list would
fetch students' copies into the course's root.
"""


class Role(enum.Enum):
    """For whom JupyterLab is opened."""

    STUDENT = "student"
    INSTRUCTOR = "instructor"


# The copy ---------------------------------------------------------------------------------------


@dataclass
class Copied:
    """What `copy_release` did; paths relative to the course's root."""

    added: list[Path] = field(default_factory=list)
    kept: list[Path] = field(default_factory=list)
    """Files that were there already, whatever is in them."""
    blocked: list[Path] = field(default_factory=list)
    """Links, and files where the release has a folder: nothing was added below them."""


def copy_release(course: Course) -> Copied:
    """Copy every assignment in the release that is not in ``work/`` yet, file by file.

    No file that exists is opened, so none can lose anything, and no link below ``work/`` is
    followed. What is no longer in the release stays where it is.

    Raises:
        CourseError: there is no release, or ``work/`` cannot be written.
    """
    release = course.root / str(course.coursedir.release_directory)
    files = list(_files(release, course.coursedir.ignore))
    if not files:
        raise CourseError(f"There is nothing in {release}. Run: autograder build")
    done = Copied()
    for file in files:
        target = Path(WORK) / file
        try:
            _copy(course.root, release / file, target, done)
        except OSError as error:
            name = error.filename or target
            raise CourseError(f"{name} cannot be used: {error.strerror}.") from error
    return done


def _files(release: Path, ignored: Sequence[str]) -> Iterator[Path]:
    """Yield the files of all assignments, but for those that nbgrader would not copy either."""
    for path in sorted(release.glob("*/**/*")):
        file = path.relative_to(release)
        if path.is_file() and not any(
            fnmatch.fnmatch(part, pattern) for part in file.parts for pattern in ignored
        ):
            yield file


def _copy(root: Path, source: Path, target: Path, done: Copied) -> None:
    obstacle = _obstacle(root, target)
    if obstacle is not None:
        if obstacle not in done.blocked:
            done.blocked.append(obstacle)
        return
    content = source.read_bytes()
    (root / target).parent.mkdir(parents=True, exist_ok=True)
    try:
        # "x" makes the file or fails, also where a link points nowhere. Its mode is that of any
        # new file: a release that is read-only makes a copy that can be worked in.
        stream = (root / target).open("xb")
    except FileExistsError:
        done.kept.append(target)
        return
    try:
        with stream:
            stream.write(content)
    except BaseException:
        # Half a notebook would pass for the student's work from now on.
        (root / target).unlink()
        raise
    done.added.append(target)


def _obstacle(root: Path, target: Path) -> Path | None:
    """Return the first folder on the way from ``work/`` to the target that is none."""
    for folder in reversed(target.parents[:-2]):
        place = root / folder
        if place.is_symlink() or (place.exists() and not place.is_dir()):
            return folder
    return None


# The server -------------------------------------------------------------------------------------


def root_of(course: Course, role: Role) -> Path:
    """Return the folder that a server shows, and that it runs in."""
    return course.root / WORK if role is Role.STUDENT else course.root


def _students_nbgrader(course: Course) -> str:
    """Return what a student's nbgrader must know of the course's configuration, and no more."""
    exchange = Exchange(config=course.config)
    return (
        "c = get_config()\n"
        f"c.CourseDirectory.course_id = {course.coursedir.course_id!r}\n"
        f"c.Exchange.root = {exchange.root!r}\n"
        f"c.Exchange.cache = {exchange.cache!r}\n"
    )


def serve(course: Course, role: Role, options: Sequence[str] = ()) -> None:
    """Run JupyterLab in this process until it ends, by Ctrl-C, a signal or its own menu.

    Args:
        course: the course.
        role: for whom.
        options: options of ``jupyter lab``, which win over all others.

    Raises:
        SystemExit: the server could not start; it has said why.
    """
    state = course.root / STATE / role.value
    state.mkdir(parents=True, exist_ok=True)
    if role is Role.STUDENT:
        (state / CONFIG_FILE).write_text(_students_nbgrader(course), encoding="utf-8")
    with contextlib.suppress(OSError):  # an exchange that students may not make is not theirs
        Path(Exchange(config=course.config).root).mkdir(parents=True, exist_ok=True)
    before = os.environ.get("JUPYTER_CONFIG_PATH")
    os.environ["JUPYTER_CONFIG_PATH"] = os.pathsep.join(
        filter(None, [str(SETTINGS / role.value), str(state), before])
    )
    os.chdir(root_of(course, role))  # what the server shows, and where nbgrader looks for its own
    from jupyterlab.labapp import LabApp  # slow to import

    LabApp.launch_instance(argv=[f"--LabApp.workspaces_dir={state / 'workspaces'}", *options])
