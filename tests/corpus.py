"""Run the corpora of submissions through the real pipeline and say what is wrong with the result.

Usage: ``python tests/corpus.py [--keep FOLDER] [--json FILE] [PATTERN ...]``, where a pattern like
``hostile/add_positions__*`` chooses entries. Two temporary courses are built from ``lessons/`` and
``nbgrader_config.py``, the submissions are divided between them, and both are graded at once with
``nbgrader autograde``, ``nbgrader generate_feedback`` and ``nbgrader export``.

Printed is the confusion table, which should be all zeros, and one line per deviation. The exit
status is 1 if there is any.

=========  =====================================================================================
corpus     what its submissions are, and deserve
=========  =====================================================================================
wheats     unusual but right answers: full marks
chaffs     wrong answers, one misconception each: what the header says, the mistake named
damaged    notebooks as editors, tools and people break them (`submissions.damaged`)
hostile    attempts to cheat or to break the grader: what the answer underneath deserves
excessive  more than a grader can take, in size, number or form (`submissions.excessive`)
perfect    ordinary submissions of all notebooks, to see that nobody else suffers
=========  =====================================================================================
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import ctypes
import fnmatch
import functools
import hashlib
import html
import json
import os
import re
import shutil
import stat
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # examples/ is not installed

import psutil
from nbgrader.api import Gradebook
from rich.console import Console
from rich.progress import MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table
from submissions import damaged, excessive

from autograder.course import student_id
from autograder.execution.sandbox import SandboxPolicy
from autograder.files import listing
from autograder.lesson import model as lesson
from autograder.lesson.model import Lesson
from autograder.results import Status
from examples import answers

TESTS = Path(__file__).resolve().parent
ROOT = TESTS.parent
ASSIGNMENT = "lesson4_learned_positions"

CORPORA = ("wheats", "chaffs", "damaged", "hostile", "excessive", "perfect")

CELL_SECONDS, NOTEBOOK_SECONDS = 4, 20
"""Limits of student code in the courses of this run, lower than the lesson's own."""

GRACE_SECONDS = 2
"""How long after its notebook's limit a submission must be done with."""

RUN_SECONDS = 900
"""After this a command counts as one that does not finish."""

LIMITS = f"""
c.Grade.cell_seconds = {CELL_SECONDS}
c.Grade.notebook_seconds = {NOTEBOOK_SECONDS}
c.SandboxPolicy.memory_bytes = {2 * 2**30}
"""

WORST = ("add_positions__exit_in_answer", "add_positions__closes_all_descriptors")
"""The hostile submissions that come first in the two classes."""

OUTPUT = ("autograded", "feedback", "reports", ".autograder", "gradebook.db", "grades")
"""What grading may write in a course's folder."""

TRACE = "left-behind-by-a-submission"
"""Hostile submissions name the files, processes and variables they leave behind so."""

INJECTED = "corpus-injection"
"""Hostile submissions put this into the scripts that they smuggle into a page."""

BYSTANDER = "bystander"
"""A student who is in the gradebook with scores and has handed in nothing now."""

CANARY = "nobody-may-read-this"
"""Stands in the environment and home folder of the grading commands, and may show in no page."""

GRADER_BYTES = 512 * 2**20
"""The most memory that a grading process may take beyond what it has at its start."""

SHORT = 8
"""Hidden lines with fewer characters give nothing away."""

ANY = None
"""Expected of a question about which the corpus says nothing."""

Expected = float | str | None
"""Points, one of the statuses of `autograder.results`, or `ANY`."""


# What is handed in, and what it deserves ------------------------------------------------------


@dataclass(frozen=True)
class Item:
    """One submission of one corpus."""

    corpus: str
    name: str
    student: str
    expected: Mapping[str, Expected]
    """By question, of the notebooks that are handed in."""
    write: Callable[[Path], object]
    """Writes the submission into a folder."""
    question: str = ""
    mistake: str | None = None
    """The known mistake that the feedback must name."""
    heavy: bool = False
    """Whether it may be run in a sandbox only."""
    wrong: bool = False
    """Whether its answer is wrong, so that the feedback may name a mistake."""

    @property
    def path(self) -> str:
        """Name for people: corpus and entry."""
        return f"{self.corpus}/{self.name}"

    @property
    def student_id(self) -> str:
        """The student's id in the gradebook, the export and the folders of results."""
        return student_id(self.student)


def full_marks(course: Lesson, notebooks: Iterable[str]) -> dict[str, Expected]:
    """Return what perfect answers to all questions of some notebooks deserve."""
    names = set(notebooks)
    return {
        question.name: Status.BY_HAND if question.by_hand else question.points
        for question in course.questions
        if question.notebook in names
    }


def text_items(course: Lesson, corpus: str) -> Iterator[Item]:
    """Yield the entries of a corpus of text files.

    Raises:
        ValueError: the header of a file is not complete.
    """
    questions = {question.name: question for question in course.questions}
    for path in sorted((TESTS / "submissions" / course.name / corpus).glob("*.py")):
        entry = answers.read(path)
        header = entry.header
        missing = {"question", "expect", "why"} - set(header)
        if missing or entry.question not in questions:
            raise ValueError(f"{corpus}/{path.name}: the header lacks {missing or 'a question'}")
        question = questions[entry.question]
        expected = full_marks(course, [question.notebook])
        if header.get("others") == "any":
            expected = dict.fromkeys(expected, ANY)
        full = header["expect"] == "full"
        expected[question.name] = question.points if full else float(header["expect"])
        first = "0" if entry.name in WORST else corpus[0]
        yield Item(
            corpus,
            entry.name,
            f"{first}_{entry.name}",
            expected,
            functools.partial(_write_text, course, entry),
            question.name,
            header.get("mistake"),
            header.get("heavy") == "yes",
            wrong=not full,
        )


def _write_text(course: Lesson, entry: answers.Entry, folder: Path) -> None:
    answers.submission(course, [entry], whole=False).write(folder)


def recipe_items(course: Lesson, corpus: str, recipes: Iterable[damaged.Recipe]) -> Iterator[Item]:
    """Yield the recipes of `submissions.damaged` or `submissions.excessive`."""
    for recipe in recipes:
        names = [notebook.name for notebook in course.notebooks]
        names = [name for name in names if recipe.notebook in (None, name)]
        expected = full_marks(course, names)
        if isinstance(recipe.expect, Mapping):
            expected |= recipe.expect
        elif recipe.expect == damaged.NOT_GRADABLE:
            expected = dict.fromkeys(expected, Status.NOT_GRADABLE)
        write = functools.partial(_write_damaged, course, recipe)
        student = recipe.student or f"{corpus[0]}_{recipe.name}"
        yield Item(corpus, recipe.name, student, expected, write)


def _write_damaged(course: Lesson, recipe: damaged.Recipe, folder: Path) -> None:
    handed_in = answers.submission(course)
    if recipe.notebook is not None:
        handed_in.notebooks = {recipe.notebook: handed_in.notebooks[recipe.notebook]}
    handed_in.write(folder)
    recipe.damage(damaged.Handed(folder, course, recipe.notebook or ""))


def perfect_items(course: Lesson) -> Iterator[Item]:
    """Yield three ordinary submissions: early, in the middle and late in the class."""
    names = [notebook.name for notebook in course.notebooks]
    for student in ("b_ordinary", "k_ordinary", "z_ordinary"):
        whole = answers.submission(course)
        yield Item("perfect", student, student, full_marks(course, names), whole.write)


def all_items(course: Lesson) -> list[Item]:
    """Return the submissions of all corpora."""
    items = [
        *text_items(course, "wheats"),
        *text_items(course, "chaffs"),
        *text_items(course, "hostile"),
        *recipe_items(course, "damaged", damaged.RECIPES),
        *recipe_items(course, "excessive", excessive.RECIPES),
        *perfect_items(course),
    ]
    doubled = [name for name, n in Counter(item.student for item in items).items() if n > 1]
    if doubled:
        raise ValueError(f"two entries have the same student: {doubled}")
    return items


def sandboxed() -> bool:
    """Return whether student code is confined on this machine."""
    return bool(getattr(SandboxPolicy(), "kind", ""))


# Findings -------------------------------------------------------------------------------------


DOCKED, PASSED, GAINED = "right answers docked", "wrong ones passed", "cheats that gained"
BROKEN, TRACES = "runs broken", "traces left"
UNNAMED, MISNAMED = "mistake not named", "wrong mistake named"
LEAKED, SCRIPTS, OVERTIME = "hidden lines shown", "scripts in pages", "time limit exceeded"
REQUESTS, OVERSIZE = "requests from pages", "memory limit exceeded"

COLUMNS = (
    *(DOCKED, PASSED, GAINED, BROKEN, TRACES, MISNAMED, LEAKED, SCRIPTS, REQUESTS),
    *(OVERTIME, OVERSIZE),
)
"""Kinds of deviation with a column in the table; `UNNAMED` is reported as a share."""


@dataclass(frozen=True)
class Deviation:
    """One way in which the result is not what it should be."""

    kind: str
    entry: str
    """Corpus and name, or the course for what belongs to no entry."""
    text: str


@dataclass
class Report:
    """The result of a run."""

    items: list[Item] = field(default_factory=list)
    skipped: list[Item] = field(default_factory=list)
    deviations: list[Deviation] = field(default_factory=list)
    named: int = 0
    """Chaffs whose feedback names the right mistake."""
    seconds: float = 0
    memory: int = 0
    """By how much a grading process was at most larger than at its start, in bytes."""
    slowest: list[tuple[float, str]] = field(default_factory=list)
    rows: dict[str, dict[str, dict[str, str]]] = field(default_factory=dict)
    """What was exported, by entry and question."""

    def count(self, kind: str, prefix: tuple[str, ...]) -> int:
        """Return how many entries whose names begin so deviate in one way."""
        entries = {d.entry for d in self.deviations if d.kind == kind}
        return sum(entry.startswith(prefix) for entry in entries)


COMPARED = ("status", "score", "max_score", "mistake", "reason")
"""The columns of the export that two runs of the same entries must agree in."""


# A course -------------------------------------------------------------------------------------


@dataclass
class Course:
    """A temporary course with its share of the submissions."""

    root: Path
    home: Path
    """Home folder of the commands; nothing may change in it."""
    temporary: Path
    """Folder for temporary files of the commands; it must be empty in the end."""
    own: Path
    """Where the commands keep their settings and caches."""
    items: list[Item]
    log: list[str] = field(default_factory=list)
    times: list[float] = field(default_factory=list)
    """Seconds from the start of the command, for each line of the log."""
    seconds: dict[str, float] = field(default_factory=dict)
    """How long the grading of a submission took, by student."""
    memory: dict[str, int] = field(default_factory=dict)
    """By how many bytes a grading process was at most larger than at its start, by what it did."""

    def environment(self) -> dict[str, str]:
        """Return the environment of the commands."""
        folders = {
            name: str(self.own / name.lower())
            for name in (
                "IPYTHONDIR",
                "JUPYTER_CONFIG_DIR",
                "JUPYTER_DATA_DIR",
                "JUPYTER_RUNTIME_DIR",
                "MPLCONFIGDIR",
                "XDG_CACHE_HOME",
            )
        }
        path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
        return {
            **os.environ,
            **folders,
            "HOME": str(self.home),
            "TMPDIR": str(self.temporary),
            "PYTHONPATH": path,
            "PYTHONUNBUFFERED": "1",
            "CORPUS_SECRET": CANARY,
        }

    def run(self, *arguments: str, tick: Callable[[], object] = lambda: None) -> int | None:
        """Run an nbgrader command; return its exit status, None if it does not finish.

        Its log is kept with the commands before; ``tick`` is called for each notebook graded.
        """
        command = [sys.executable, "-m", "nbgrader", *arguments]
        process = subprocess.Popen(
            command,
            cwd=self.root,
            env=self.environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
        )
        alarm = threading.Timer(RUN_SECONDS, process.kill)
        alarm.start()
        assert process.stdout is not None
        begin = since = time.monotonic()
        student = ""
        meter = _Meter(process.pid)
        for line in process.stdout:
            now = time.monotonic()
            self.log.append(line.rstrip("\n"))
            self.times.append(now - begin)
            found = re.search(r"The submission of (.*) is next$", line)
            if found or "Not gradable: " in line:
                if student:
                    self.seconds[student] = now - since
                    self.memory[student] = meter.growth()
                student, since = found[1].strip() if found else "", now
                tick()
        self.memory[arguments[0]] = meter.growth()
        process.stdout.close()
        status = process.wait()
        lines = zip(self.times, self.log, strict=True)
        text = "".join(f"{seconds:7.2f} {line}\n" for seconds, line in lines)
        (self.root.parent / "log.txt").write_text(text, encoding="utf-8")
        finished = alarm.is_alive()
        alarm.cancel()
        return status if finished else None

    def submitted(self, item: Item) -> Path:
        """Return the folder of a submission."""
        return self.root / "submitted" / item.student / ASSIGNMENT

    def pages(self, item: Item) -> dict[str, str]:
        """Return the feedback pages of a student by notebook."""
        folder = self.root / "feedback" / item.student_id / ASSIGNMENT
        if not folder.is_dir():
            return {}
        return {
            path.stem: path.read_text(encoding="utf-8", errors="replace")
            for path in folder.iterdir()
            if path.suffix == ".html"
        }


class _Meter:
    """Measures how much larger than at their start a process and its children of its kind became.

    The processes of students' code are none of them; they have limits of their own.
    """

    def __init__(self, pid: int) -> None:
        self._process = psutil.Process(pid)
        self._start = 0

    def growth(self) -> int:
        """Return the bytes so far; 0 before the first submission, or where nothing tells."""
        if sys.platform != "linux":
            return 0
        peaks = [_status(self._process.pid, "VmHWM")]
        with contextlib.suppress(psutil.Error):
            command = self._process.cmdline()
            for child in self._process.children():
                with contextlib.suppress(psutil.Error):
                    if child.cmdline() == command:  # forked to read and judge
                        peaks.append(_status(child.pid, "VmHWM"))
        self._start = self._start or peaks[0]
        return max(peaks) - self._start


def _status(pid: int, name: str) -> int:
    """Return a size that the system tells of a process, in bytes; 0 if it does not."""
    with contextlib.suppress(OSError):
        found = re.search(rf"{name}:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())
        return int(found[1]) * 1024 if found else 0
    return 0


def make_course(root: Path, items: list[Item], template: Course | None = None) -> Course:
    """Build a course with a release, a bystander in its gradebook and submissions.

    Args:
        root: a new folder for it.
        items: the submissions.
        template: a course without submissions, from which all but these is copied.
    """
    course = Course(root / "course", root / "home", root / "t", root / "own", items)
    for folder in (course.home, course.temporary, course.own):
        folder.mkdir(parents=True)
    (course.home / "diary.txt").write_text(f"{CANARY}\n")
    (course.home / ".ssh").mkdir()
    (course.home / ".ssh" / "id_canary").write_text(f"{CANARY}\n")
    if template is not None:
        shutil.copytree(template.root, course.root)
    else:
        left_out = shutil.ignore_patterns(".ipynb_checkpoints")
        shutil.copytree(ROOT / "lessons", course.root / "lessons", ignore=left_out)
        config = (ROOT / "nbgrader_config.py").read_text(encoding="utf-8")
        (course.root / "nbgrader_config.py").write_text(config + LIMITS, encoding="utf-8")
        if course.run("generate_assignment", ASSIGNMENT) != 0:
            raise RuntimeError("the release cannot be built:\n" + "\n".join(course.log))
        _add_bystander(course)
    for item in items:
        folder = course.submitted(item)
        folder.mkdir(parents=True)
        (folder / "timestamp.txt").write_text("2030-01-01 12:00:00 UTC\n")
        item.write(folder)
    return course


def _gradebook(course: Course) -> Gradebook:
    return Gradebook(f"sqlite:///{course.root / 'gradebook.db'}")


def _add_bystander(course: Course) -> None:
    with _gradebook(course) as gradebook, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # nbgrader's use of SQLAlchemy
        gradebook.add_student(BYSTANDER, first_name="By", last_name="Stander")
        submission = gradebook.add_submission(ASSIGNMENT, BYSTANDER)
        for notebook in submission.notebooks:
            for number, grade in enumerate(notebook.grades):
                grade.auto_score = grade.max_score / 2
                grade.needs_manual_grade = False
                grade.extra_credit = number / 4
        gradebook.db.commit()


def _bystander(course: Course) -> list[tuple[Any, ...]]:
    """Return all that the gradebook knows of the bystander."""
    with _gradebook(course) as gradebook:
        student = gradebook.find_student(BYSTANDER)
        rows: list[tuple[Any, ...]] = [(student.first_name, student.last_name, student.email)]
        for notebook in gradebook.find_submission(ASSIGNMENT, BYSTANDER).notebooks:
            rows += [
                (notebook.name, g.name, g.auto_score, g.manual_score, g.extra_credit)
                for g in notebook.grades
            ]
        return sorted(rows, key=repr)


def snapshot(top: Path, leave_out: Sequence[str] = ()) -> dict[str, str]:
    """Return what stands below a folder: a hash, a link's target or a kind, by relative path."""
    found: dict[str, str] = {}
    for parent, folders, names in os.walk(top):
        if Path(parent) == top:
            folders[:] = [name for name in folders if name not in leave_out]
            names = [name for name in names if not name.startswith(tuple(leave_out) or "\0")]
        for name in [*folders, *names]:
            path = Path(parent) / name
            found[str(path.relative_to(top))] = _fingerprint(path)
    return found


def _fingerprint(path: Path) -> str:
    try:
        mode = path.lstat().st_mode
    except OSError as error:  # a path that is longer than one may be
        return f"error {error.errno}"
    if stat.S_ISLNK(mode):
        return f"link to {path.readlink()}"
    if not stat.S_ISREG(mode):
        return f"kind {stat.S_IFMT(mode)}"
    if path.stat().st_size > 2**24:
        return f"{path.stat().st_size} bytes"
    return hashlib.sha256(path.read_bytes()).hexdigest()


# What a run leaves ----------------------------------------------------------------------------


def adopt_orphans() -> None:
    """Make this process the parent of what its commands leave running (on Linux)."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER


def running_children() -> dict[int, str]:
    """Return the processes that descend from this one, by identifier, with their command."""
    found = {}
    for process in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.Error):
            if process.status() == psutil.STATUS_ZOMBIE:
                with contextlib.suppress(ChildProcessError):
                    os.waitpid(process.pid, os.WNOHANG)
                continue
            found[process.pid] = " ".join(process.cmdline())[:200] or process.name()
    return found


def left_running(before: Iterable[int]) -> list[str]:
    """End the processes that a run has left, and return their commands."""
    deadline = time.monotonic() + 1
    while (left := set(running_children()) - set(before)) and time.monotonic() < deadline:
        time.sleep(0.1)
    commands = [command for pid, command in running_children().items() if pid in left]
    for pid in left:
        with contextlib.suppress(psutil.Error):
            psutil.Process(pid).kill()
    return commands


def left_files() -> list[str]:
    """Return files that bear the mark of a hostile submission in folders that all may write."""
    places = {tempfile.gettempdir(), "/tmp", "/var/tmp", "/dev/shm", str(Path.home())}
    return [
        str(path)
        for place in sorted(places)
        if Path(place).is_dir()
        for path in Path(place).iterdir()
        if TRACE in path.name
    ]


# Judging a course -----------------------------------------------------------------------------


def grade(course: Course, tick: Callable[[], object]) -> list[Deviation]:
    """Run the commands on a course and return what went wrong with them as such."""
    where = f"course {course.root.parent.name}"
    found: list[Deviation] = []
    files, home = snapshot(course.root, OUTPUT), snapshot(course.home)
    bystander = _bystander(course)
    for command, allowed in (("autograde", (0, 1)), ("generate_feedback", (0,)), ("export", (0,))):
        arguments = [command] if command == "export" else [command, ASSIGNMENT]
        status = course.run(*arguments, tick=tick)
        if status not in allowed:
            said = "does not finish" if status is None else f"ended with status {status}"
            last = " / ".join(course.log[-3:])
            found.append(Deviation(BROKEN, where, f"nbgrader {command} {said}: {last}"))
    for what, size in course.memory.items():
        if size > GRADER_BYTES:
            said = f"{size / 2**20:.0f} MiB more than at the start after {what}"
            found.append(Deviation(OVERSIZE, where, said))
            break
    if any("Traceback (most recent call last)" in line for line in course.log):
        at = next(i for i, line in enumerate(course.log) if "Traceback (most" in line)
        shown = " / ".join(course.log[max(0, at - 1) : at + 30])[-600:]
        found.append(Deviation(BROKEN, where, f"traceback in the log: …{shown}"))
    for top, before, leave_out in (
        (course.root, files, OUTPUT),
        (course.home, home, ()),
        (course.temporary, {}, ()),
    ):
        after = snapshot(top, leave_out)
        changed = sorted(
            {name for name in {*before, *after} if before.get(name) != after.get(name)}
        )
        if changed:
            shown = ", ".join(changed[:5])
            found.append(Deviation(TRACES, where, f"{len(changed)} files in {top.name}: {shown}"))
    if _bystander(course) != bystander:
        found.append(Deviation(TRACES, where, "another student's rows in the gradebook changed"))
    return found


def exported(course: Course) -> dict[str, dict[str, dict[str, str]]]:
    """Return the rows of the export by student and question."""
    file = course.root / "grades.csv"
    result: dict[str, dict[str, dict[str, str]]] = {}
    if not file.is_file():
        return result
    with file.open(newline="", encoding="utf-8") as stream:
        for row in csv.DictReader(stream):
            student = re.sub(r"^'(?=[=+\-@])", "", row["student_id"])
            result.setdefault(student, {})[row["question"]] = row
    return result


def exported_id(item: Item) -> str:
    """Return a student's id as `exported` gives it."""
    return re.sub(r"^'(?=[=+\-@])", "", item.student_id)


def judge_scores(
    course: Lesson, item: Item, rows: Mapping[str, Mapping[str, str]]
) -> Iterator[Deviation]:
    """Yield how the exported rows of a submission differ from what it deserves."""
    missing = [question.name for question in course.questions if question.name not in rows]
    if missing:
        yield Deviation(BROKEN, item.path, f"not in the export: {', '.join(missing[:3])}")
        return
    unusable = set(item.expected.values()) == {Status.NOT_GRADABLE}
    for question in course.questions:
        row = rows[question.name]
        if row["reason"].startswith("the grader failed"):
            yield Deviation(BROKEN, item.path, f"{question.name}: {row['reason'][:300]}")
            continue
        if question.name not in item.expected:
            allowed = {Status.NOT_SUBMITTED} | ({Status.NOT_GRADABLE} if unusable else set())
            if row["status"] not in allowed:
                yield Deviation(
                    BROKEN,
                    item.path,
                    f"{question.name} was not handed in, got {_said(row)}",
                )
            continue
        yield from _judge_score(item, question.name, item.expected[question.name], row)


def _said(row: Mapping[str, str]) -> str:
    score = f"{row['score']} points" if row["score"] else row["status"]
    return f"{score} ({row['reason'][:200]})" if row["reason"] else score


def _judge_score(
    item: Item, question: str, expected: Expected, row: Mapping[str, str]
) -> Iterator[Deviation]:
    if expected is ANY:
        return
    got: float | str = row["status"]
    if got == Status.GRADED:
        got = float(row["score"] or 0)
    if got == expected:
        return
    wanted = f"{expected:g} points" if isinstance(expected, float) else expected
    more = isinstance(got, float) and (not isinstance(expected, float) or got > expected)
    kind = (GAINED if item.corpus == "hostile" else PASSED) if more else DOCKED
    yield Deviation(kind, item.path, f"{question}: expected {wanted}, got {_said(row)}")


_NAMED = re.compile(r"It looks like this answer <strong>(.*?)</strong>")


def judge_names(item: Item, pages: Mapping[str, str]) -> Iterator[Deviation]:
    """Yield how the mistake that the feedback names differs from what it should name."""
    named = {html.unescape(name) for page in pages.values() for name in _NAMED.findall(page)}
    wanted = {item.mistake} if item.mistake else set()
    for name in sorted(named - wanted):
        if item.corpus == "chaffs" or not item.wrong:
            yield Deviation(MISNAMED, item.path, f"the feedback says that the answer {name}")
    if wanted - named:
        yield Deviation(UNNAMED, item.path, f"the feedback should say that it {item.mistake}")


class _Scripts(HTMLParser):
    """Finds what a browser would run of a submission's own."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[str] = []
        self._inside = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._inside = tag == "script"
        for name, value in attrs:
            risky = name.startswith("on") or name in ("href", "src", "srcdoc", "action", "data")
            if risky and INJECTED in (value or ""):
                self.found.append(f"<{tag} {name}=…>")

    def handle_endtag(self, tag: str) -> None:
        self._inside = False

    def handle_data(self, data: str) -> None:
        if self._inside and INJECTED in data:
            self.found.append("<script>…")


def judge_scripts(item: Item, pages: Mapping[str, str]) -> Iterator[Deviation]:
    """Yield the scripts of a submission that its feedback pages would run."""
    for name, page in pages.items():
        if INJECTED not in page:
            continue
        parser = _Scripts()
        parser.feed(page)
        if parser.found:
            what = ", ".join(sorted(set(parser.found)))
            yield Deviation(SCRIPTS, item.path, f"{name}.html runs the submission's own {what}")


def hidden_lines(course: Lesson) -> frozenset[str]:
    """Return the hidden lines of a lesson that stand nowhere in what students get."""
    handed_out = "\n".join(
        cell.source for notebook in course.notebooks for cell in notebook.blank.cells
    )
    handed_out += re.sub("[`*]", "", handed_out)  # as prose looks on a page
    for name in ("kernel/probe.py", "evidence.py"):  # the recorder is no secret: kernels hold it
        handed_out += (ROOT / "autograder" / name).read_text(encoding="utf-8")
    lines = {line for notebook in course.notebooks for line in notebook.secret_lines}
    return frozenset(line for line in lines if len(line) >= SHORT and line not in handed_out)


class _Requests(HTMLParser):
    """Finds what a browser would fetch of a submission's own."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            fetched = name in ("src", "srcset", "poster", "style", "background", "data") or (
                name == "href" and tag in ("link", "base", "image", "use")
            )
            if fetched and any(mark in (value or "") for mark in REMOTE):
                self.found.append(f"<{tag} {name}=…>")


REMOTE = ("remote.invalid", "/hub/")
"""What submissions name in the pictures and styles that no page may fetch."""


def judge_requests(item: Item, pages: Mapping[str, str]) -> Iterator[Deviation]:
    """Yield what its feedback pages would fetch because of a submission."""
    for name, page in pages.items():
        parser = _Requests()
        parser.feed(page)
        if parser.found:
            what = ", ".join(sorted(set(parser.found)))
            yield Deviation(REQUESTS, item.path, f"{name}.html fetches {what}")


def judge_secrets(
    secret: Iterable[str], item: Item, pages: Mapping[str, str], own: str
) -> Iterator[Deviation]:
    """Yield the hidden lines that stand in the feedback, as they are, escaped or within markup.

    Args:
        secret: the hidden lines.
        item: the submission.
        pages: its feedback pages.
        own: all text that was handed in; what the student knows already is no leak.
    """
    for name, page in pages.items():
        body = page.partition("<body")[2] or page
        plain = html.unescape(re.sub(r"<[^<>]*>", "", body))
        shown = [page, html.unescape(body), plain]
        for line in secret:
            if any(line in text for text in shown) and line not in own:
                yield Deviation(LEAKED, item.path, f"{name}.html shows the hidden line {line!r}")
                break
        if any(CANARY in text for text in shown):
            yield Deviation(LEAKED, item.path, f"{name}.html shows the grader's own secrets")


def own_text(folder: Path) -> str:
    """Return the text of all notebooks and small files in a submission."""
    texts = []
    for path in listing(folder).files:
        if path.stat().st_size < 2**26:
            raw = path.read_bytes()
            wide = "utf-16-be" if raw[:1] == b"\0" else "utf-16"
            text = raw.decode(wide if b"\0" in raw[:4] else "utf-8", "replace")
            texts += [text, text.replace('\\"', '"').replace("\\\\", "\\")]
    return "\n".join(texts)


def judge(course: Course, taught: Lesson) -> list[Deviation]:
    """Return all deviations of the submissions in a graded course."""
    found: list[Deviation] = []
    rows = exported(course)
    secret = sorted(hidden_lines(taught))
    for item in course.items:
        found += judge_scores(taught, item, rows.get(exported_id(item), {}))
        pages = course.pages(item)
        handed_in = {q.notebook for q in taught.questions if q.name in item.expected}
        lacking = sorted(handed_in - set(pages))
        if lacking:
            found.append(Deviation(BROKEN, item.path, f"no feedback page for {lacking[0]}"))
        found += judge_names(item, pages)
        found += judge_scripts(item, pages)
        found += judge_requests(item, pages)
        found += judge_secrets(secret, item, pages, own_text(course.submitted(item)))
        seconds = course.seconds.get(item.student_id, 0)
        if seconds > NOTEBOOK_SECONDS * max(1, len(handed_in)) + GRACE_SECONDS:
            found.append(Deviation(OVERTIME, item.path, f"it took {seconds:.1f} s"))
    return found


# The run --------------------------------------------------------------------------------------


def chosen(items: Iterable[Item], patterns: Sequence[str]) -> list[Item]:
    """Return the items whose path fits one of the patterns; all if there are none."""
    return [
        item
        for item in items
        if not patterns or any(fnmatch.fnmatchcase(item.path, pattern) for pattern in patterns)
    ]


def run(folder: Path, patterns: Sequence[str] = (), console: Console | None = None) -> Report:
    """Grade the corpora in two courses below ``folder`` and return what came of it."""
    console = console or Console(quiet=True)
    begin = time.monotonic()
    taught = lesson.load(ROOT / "lessons" / ASSIGNMENT, _config())
    report = Report()
    confined = sandboxed()
    for item in chosen(all_items(taught), patterns):
        (report.skipped if item.heavy and not confined else report.items).append(item)
    ordered = sorted(report.items, key=lambda item: (not item.student.startswith("0"), item.path))
    adopt_orphans()
    before, files_before = running_children(), left_files()
    with (
        Progress(
            TextColumn("{task.description}"),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            console=console,
            transient=True,
        ) as progress,
        ThreadPoolExecutor(2) as pool,
    ):
        task = progress.add_task("graded", total=len(ordered))
        shares = [share for share in (ordered[::2], ordered[1::2]) if share]
        template = make_course(folder / "0", [])
        made = [make_course(folder / str(i + 1), one, template) for i, one in enumerate(shares)]
        jobs = [pool.submit(grade, course, lambda: progress.advance(task)) for course in made]
        courses = list(zip(made, [job.result() for job in jobs], strict=True))
    for course, found in courses:
        report.deviations += found + judge(course, taught)
        exports = exported(course)
        for item in course.items:
            report.rows[item.path] = {
                question: {name: row[name] for name in COMPARED}
                for question, row in exports.get(exported_id(item), {}).items()
            }
        report.slowest += [(seconds, student) for student, seconds in course.seconds.items()]
    for command in left_running(before):
        report.deviations.append(Deviation(TRACES, "run", f"a process still runs: {command}"))
    for file in set(left_files()) - set(files_before):
        report.deviations.append(Deviation(TRACES, "run", f"a file was written: {file}"))
        Path(file).unlink(missing_ok=True)
    report.memory = max(max(course.memory.values(), default=0) for course in made)
    unnamed = {d.entry for d in report.deviations if d.kind == UNNAMED}
    report.named = sum(
        item.corpus == "chaffs" and item.mistake is not None and item.path not in unnamed
        for item in report.items
    )
    report.slowest = sorted(report.slowest, reverse=True)[:8]
    report.seconds = time.monotonic() - begin
    return report


def _config() -> Any:
    """Return the course's options, which decide what a blank answer is."""
    from traitlets.config.loader import PyFileConfigLoader

    return PyFileConfigLoader("nbgrader_config.py", path=str(ROOT)).load_config()


def said_to_be_skipped(report: Report) -> str:
    """Return how many submissions a run left out for want of a sandbox, and which."""
    names = ", ".join(item.name for item in report.skipped)
    return f"{len(report.skipped)} submissions too dangerous to run without a sandbox ({names})"


def show(report: Report, console: Console) -> None:
    """Print the confusion table and the deviations."""
    if report.skipped:
        console.print(f"NO SANDBOX, left out: {said_to_be_skipped(report)}", style="bold red")
    table = Table(title="Corpora of submissions")
    table.add_column("corpus")
    table.add_column("entries", justify="right")
    for column in COLUMNS:
        table.add_column(column, justify="right")
    for corpus in (*CORPORA, "run"):
        entries = sum(item.corpus == corpus for item in report.items)
        prefix = (f"{corpus}/",) if corpus != "run" else ("run", "course")
        counts = [report.count(kind, prefix) for kind in COLUMNS]
        marked = [f"[bold red]{n}[/]" if n else "0" for n in counts]
        table.add_row(corpus, str(entries) if corpus != "run" else "", *marked)
    console.print(table)
    wrong = sum(item.corpus == "chaffs" for item in report.items)
    if wrong:
        misnamed = report.count(MISNAMED, ("chaffs/",))
        share = f"{report.named} of {wrong} ({report.named / wrong:.0%})"
        console.print(f"Wrong answers explained by name: {share}; named wrongly: {misnamed}")
    slow = ", ".join(f"{student} {seconds:.1f} s" for seconds, student in report.slowest)
    size = f"{report.memory / 2**20:.0f} MiB"
    console.print(f"{len(report.items)} submissions in {report.seconds:.0f} s, {size} of memory")
    console.print(f"Slowest: {slow}")
    for deviation in sorted(report.deviations, key=lambda d: (d.kind, d.entry)):
        console.print(
            f"{deviation.kind}: {deviation.entry}: {deviation.text}", markup=False, highlight=False
        )


def main() -> int:
    """Run the corpora from the command line."""
    parser = argparse.ArgumentParser(description="Run the corpora of submissions.")
    parser.add_argument("pattern", nargs="*", help="entries to run, such as 'hostile/*'")
    parser.add_argument("--json", type=Path, help="write what was exported to this file")
    parser.add_argument("--keep", type=Path, help="keep the two courses in this new folder")
    options = parser.parse_args()
    console = Console(width=None if sys.stdout.isatty() else 160, soft_wrap=True)
    with tempfile.TemporaryDirectory(prefix="agc-", ignore_cleanup_errors=True) as temporary:
        folder = options.keep.resolve() if options.keep else Path(temporary)
        report = run(folder, options.pattern, console)
    show(report, console)
    if options.json:
        options.json.write_text(json.dumps(report.rows, indent=1, sort_keys=True) + "\n")
    return 1 if report.deviations else 0


if __name__ == "__main__":
    sys.exit(main())
