"""Time the grading of a class: stock nbgrader, this course's configuration, and the floor.

All figures of a table come from one run on one machine with one class of perfect submissions, so
that their ratios mean something where the seconds do not. Rows:

* ``floor``: the cells alone, executed one after the other in one warm process without Jupyter;
* ``stock``: ``nbgrader autograde`` with nbgrader's own execution, in turn;
* ``otter run``: otter-grader, if it is installed, on notebooks with one question of the lesson;
* ``nbgrader autograde``: the same command with this course's configuration;
* ``grade --jobs N``: ``autograder grade`` with N submissions at a time.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # examples/ is not installed

import nbformat
import psutil
from rich.console import Console
from rich.table import Table

from autograder.authoring.build import copy_course, release
from autograder.course import Course, load_course
from examples import answers

ROOT = Path(__file__).resolve().parents[1]
LESSON = "lesson4_learned_positions"

STOCK = """\
c = get_config()
c.CourseDirectory.source_directory = "lessons"
c.ClearMarkScheme.enforce_metadata = False
"""
"""nbgrader as it comes; the two options only let it read this course."""

FLOOR = """\
import json, sys, time, warnings
warnings.simplefilter("ignore")
import matplotlib
matplotlib.use("agg")
import matplotlib.pyplot, numpy, autograder.probe, io, contextlib
notebooks = json.load(open(sys.argv[1]))
start = time.perf_counter()
for _ in range(int(sys.argv[2])):
    for cells in notebooks:
        namespace = {"__name__": "__main__"}
        for cell in cells:
            with contextlib.redirect_stdout(io.StringIO()):
                exec(cell, namespace)
print(time.perf_counter() - start)
"""
"""Executes the cells of notebooks, each in a namespace of its own."""


@dataclass(frozen=True)
class Figures:
    """What grading one class in one way took."""

    submissions: int
    notebooks: int
    way: str
    seconds: float
    cpu_seconds: float
    """Processor seconds of the command and all its descendants."""
    peak_mib: float
    """The most memory of the command's own process."""

    @property
    def rate(self) -> float:
        """Notebooks per second."""
        return self.notebooks / self.seconds


class Watch:
    """Adds up the processor time of a process and its descendants while it runs."""

    def __init__(self, pid: int) -> None:
        self._root = psutil.Process(pid)
        self._cpu: dict[tuple[int, float], float] = {}
        self._peak = 0
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self) -> None:
        while not self._done.wait(0.05):
            try:
                self._peak = max(self._peak, self._root.memory_info().rss)
                found = [self._root, *self._root.children(recursive=True)]
            except psutil.Error:
                continue
            for process in found:
                try:
                    used = process.cpu_times()
                    key = (process.pid, process.create_time())
                except psutil.Error:
                    continue
                self._cpu[key] = used.user + used.system

    def stop(self) -> tuple[float, float]:
        """Return processor seconds and the peak memory in MiB."""
        self._done.set()
        self._thread.join()
        return sum(self._cpu.values()), self._peak / 2**20


def make_class(course: Course, size: int) -> None:
    """Hand in ``size`` perfect submissions."""
    made = answers.submission(course.lesson(LESSON))
    for number in range(size):
        made.write(course.root / "submitted" / f"s{number:03}" / LESSON)


def timed(root: Path, command: list[str], size: int, notebooks: int, way: str) -> Figures:
    """Grade the class in ``root`` from scratch.

    Raises:
        SystemExit: the command fails.
    """
    for folder in ("autograded", "reports"):
        shutil.rmtree(root / folder, ignore_errors=True)
    scripts = str(Path(sys.executable).parent)
    start = time.monotonic()
    with tempfile.TemporaryFile("w+") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", *command],
            cwd=root,
            env={**os.environ, "PATH": os.pathsep.join([scripts, os.environ["PATH"]])},
            stdout=log,
            stderr=subprocess.STDOUT,
        )
        watch = Watch(process.pid)
        status = process.wait()
        seconds = time.monotonic() - start
        cpu, peak = watch.stop()
        if status:
            log.seek(0)
            raise SystemExit(f"{' '.join(command)} failed:\n{log.read()[-3000:]}")
    return Figures(size, size * notebooks, way, seconds, cpu, peak)


OTTER_CELLS = [
    ("raw", "# ASSIGNMENT CONFIG\ngenerate: true\nexport_cell: false\ncheck_all_cell: false"),
    ("code", "import numpy as np"),
    ("raw", "# BEGIN QUESTION\nname: add_positions\npoints: 4"),
    ("markdown", "Add the first T rows of P to each sequence."),
    ("raw", "# BEGIN SOLUTION"),
    ("code", "def add_positions(tok, P):\n    return tok + P[: tok.shape[1]]  # SOLUTION"),
    ("raw", "# END SOLUTION"),
    ("raw", "# BEGIN TESTS"),
    ("code", "assert add_positions(np.zeros((2, 3, 4)), np.ones((8, 4))).shape == (2, 3, 4)"),
    ("code", "assert add_positions(np.zeros((2, 3, 4)), np.ones((8, 4))).sum() == 24"),
    ("raw", "# END TESTS"),
    ("raw", "# END QUESTION"),
]
"""One question of the lesson, as otter-grader's authors write it."""


def otter(program: str, folder: Path, size: int) -> Figures:
    """Return the figures of otter-grader without containers, one submission after the other.

    Each has one notebook with one question; otter has no command for several without Docker.
    """
    cells = [getattr(nbformat.v4, f"new_{kind}_cell")(source) for kind, source in OTTER_CELLS]
    node = nbformat.v4.new_notebook(cells=cells)
    node.metadata.kernelspec = {"name": "python3", "display_name": "Python 3", "language": "python"}
    (folder / "result").mkdir(parents=True)
    nbformat.write(node, folder / "question.ipynb")
    scripts = {
        **os.environ,
        "PATH": os.pathsep.join([str(Path(program).parent), os.environ["PATH"]]),
    }

    def run(*arguments: str) -> None:
        done = subprocess.run(
            [program, *arguments],
            cwd=folder,
            env=scripts,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise SystemExit(f"otter {' '.join(arguments)} failed:\n{done.stderr[-3000:]}")

    run("assign", "question.ipynb", "dist", "--no-run-tests")
    [grader] = (folder / "dist" / "autograder").glob("*.zip")
    start, before = time.monotonic(), os.times()
    for _ in range(size):
        run("run", "--autograder", str(grader), "dist/autograder/question.ipynb", "-o", "result")
        results = json.loads((folder / "result" / "results.json").read_text(encoding="utf-8"))
        if sum(test.get("score", 0) for test in results["tests"]) != 4:
            raise SystemExit(f"otter did not give 4 points: {results}")
    after = os.times()
    cpu = sum(after[2:4]) - sum(before[2:4])
    return Figures(size, size, "otter run", time.monotonic() - start, cpu, 0)


def check_scores(root: Path, size: int) -> None:
    """Check that every submission has all the points that no person has to give.

    Raises:
        SystemExit: one has not, so that the figures would be worth nothing.
    """
    course = load_course(root)
    questions = course.lesson(LESSON).questions
    full = sum(question.points for question in questions if not question.by_hand)
    with course.gradebook() as gradebook:
        found = [submission.score for submission in gradebook.assignment_submissions(LESSON)]
    if found != [full] * size:
        raise SystemExit(f"expected {size} submissions with {full:g} points, found {found}")


def floor(course: Course, size: int, folder: Path) -> Figures:
    """Return the figures of executing the cells alone."""
    notebooks = [
        [
            cell.source
            for cell in notebook.solved().cells
            if cell.cell_type == "code" and "figure" not in cell.metadata.get("tags", [])
        ]
        for notebook in course.lesson(LESSON).notebooks
    ]
    (folder / "cells.json").write_text(json.dumps(notebooks), encoding="utf-8")
    (folder / "floor.py").write_text(FLOOR, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "floor.py", "cells.json", str(size)],
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    )
    seconds = float(done.stdout)
    return Figures(size, size * len(notebooks), "floor", seconds, seconds, 0)


def measure(
    size: int, jobs: Iterable[int], *, stock: bool = True, otter_program: str | None = None
) -> list[Figures]:
    """Return the figures for a class of ``size`` submissions."""
    with tempfile.TemporaryDirectory(prefix="bench-") as name:
        folder = Path(name)
        ours = copy_course(load_course(ROOT), LESSON, folder / "ours")
        release(ours, LESSON)
        make_class(ours, size)
        count = len(ours.lesson(LESSON).notebooks)
        # The reference evidence is made once a lesson, not once a class.
        subprocess.run(
            [sys.executable, "-m", "autograder.commands.cli", "check"],
            cwd=ours.root,
            check=True,
            stdout=subprocess.DEVNULL,
        )
        found = [floor(ours, size, folder)]
        if stock:
            other = folder / "stock"
            shutil.copytree(ours.root, other)
            (other / "nbgrader_config.py").write_text(STOCK, encoding="utf-8")
            command = ["nbgrader", "autograde", LESSON]
            found.append(timed(other, command, size, count, "stock"))
        if otter_program:
            found.append(otter(otter_program, folder / "otter", size))
        command = ["nbgrader", "autograde", LESSON]
        found.append(timed(ours.root, command, size, count, "nbgrader autograde"))
        check_scores(ours.root, size)
        for number in jobs:
            command = ["autograder.commands.cli", "grade", LESSON, "--jobs", str(number)]
            found.append(timed(ours.root, command, size, count, f"grade --jobs {number}"))
            check_scores(ours.root, size)
    return found


def show(found: list[Figures], console: Console) -> None:
    """Print one table."""
    rates = {row.way: row.rate for row in found}
    title = f"{found[0].submissions} submissions, {found[0].notebooks} notebooks"
    table = Table(title=title, title_justify="left")
    table.add_column("")
    for head in ("seconds", "notebooks/s", "times stock", "of the floor", "CPU s each", "peak MiB"):
        table.add_column(head, justify="right")
    for row in found:
        table.add_row(
            row.way,
            f"{row.seconds:.1f}",
            f"{row.rate:.2f}",
            f"{row.rate / rates['stock']:.2f}" if "stock" in rates else "",
            f"{row.rate / rates['floor']:.3f}",
            f"{row.cpu_seconds / row.notebooks:.2f}",
            f"{row.peak_mib:.0f}" if row.peak_mib else "",
        )
    console.print(table)


def show_growth(found: list[Figures], console: Console) -> None:
    """Print what each notebook costs beyond those of the next smaller class.

    Start-up, the same for every class, is not in these figures.
    """
    table = Table(title="from class to class", title_justify="left")
    for head in ("", "submissions"):
        table.add_column(head)
    for head in ("ms each", "CPU ms each", "start-up s", "peak MiB"):
        table.add_column(head, justify="right")
    for way in dict.fromkeys(row.way for row in found):
        rows = sorted((row for row in found if row.way == way), key=lambda row: row.notebooks)
        for small, large in itertools.pairwise(rows):
            more = large.notebooks - small.notebooks
            each = (large.seconds - small.seconds) / more
            table.add_row(
                way,
                f"{small.submissions} to {large.submissions}",
                f"{1000 * each:.0f}",
                f"{1000 * (large.cpu_seconds - small.cpu_seconds) / more:.0f}",
                f"{small.seconds - each * small.notebooks:.1f}",
                f"{small.peak_mib:.0f} to {large.peak_mib:.0f}" if large.peak_mib else "",
            )
    console.print(table)


def main() -> None:
    """Print the figures, and write them as JSON if asked."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--submissions", type=int, nargs="+", default=[24])
    parser.add_argument("--jobs", type=int, nargs="*", default=[1, 2, 4])
    parser.add_argument(
        "--stock-up-to",
        type=int,
        default=24,
        metavar="N",
        help="the largest class that others grade, which takes long [default: 24]",
    )
    parser.add_argument(
        "--otter",
        default=shutil.which("otter"),
        metavar="PROGRAM",
        help="otter-grader's command [default: the one on the PATH, if there is one]",
    )
    parser.add_argument("--json", type=Path, help="write the figures into this file")
    options = parser.parse_args()
    console = Console(width=110)
    found = []
    for size in options.submissions:
        small = size <= options.stock_up_to
        rows = measure(
            size, options.jobs, stock=small, otter_program=options.otter if small else None
        )
        show(rows, console)
        found += rows
    if len(options.submissions) > 1:
        show_growth(found, console)
    if options.json:
        text = json.dumps([asdict(row) for row in found], indent=1)
        options.json.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
