"""Time grading with stock nbgrader and with this course's configuration, in one run."""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from autograder import answers
from autograder.build import copy_course, release
from autograder.course import Course, load_course

ROOT = Path(__file__).resolve().parents[1]
LESSON = "lesson4_learned_positions"

STOCK = """\
c = get_config()
c.CourseDirectory.source_directory = "lessons"
c.ClearMarkScheme.enforce_metadata = False
"""
"""nbgrader as it comes; the two options only let it read this course."""


def make_class(course: Course, size: int) -> Course:
    """Hand in ``size`` perfect submissions."""
    made = answers.submission(course.lesson(LESSON))
    for number in range(size):
        made.write(course.root / "submitted" / f"s{number:03}" / LESSON)
    return course


def grade(root: Path, *command: str) -> dict[str, float]:
    """Grade the class from scratch and return wall and CPU seconds, peak MiB of a process."""
    for folder in ("autograded", "reports"):
        shutil.rmtree(root / folder, ignore_errors=True)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-m", *command],
        cwd=root,
        env={**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=False,
    )
    wall = time.monotonic() - start
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stderr[-3000:]}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {"wall": wall, "cpu": cpu, "peak_mib": after.ru_maxrss / 1024}


def measure(size: int) -> dict[str, Any]:
    """Return the figures for one class, stock and ours."""
    with tempfile.TemporaryDirectory(prefix="bench-") as name:
        ours = copy_course(load_course(ROOT), LESSON, Path(name) / "ours")
        release(ours, LESSON)
        make_class(ours, size)
        grade(ours.root, "nbgrader", "autograde", LESSON)  # makes the reference evidence
        result: dict[str, Any] = {"submissions": size, "notebooks": size * 6}
        result["ours"] = grade(ours.root, "nbgrader", "autograde", LESSON)
        stock = Path(name) / "stock"
        shutil.copytree(ours.root, stock, ignore=shutil.ignore_patterns("autograded", "reports"))
        (stock / "nbgrader_config.py").write_text(STOCK, encoding="utf-8")
        result["stock"] = grade(stock, "nbgrader", "autograde", LESSON)
    result["ratio"] = result["stock"]["wall"] / result["ours"]["wall"]
    return result


def main() -> None:
    """Print the figures and write them as JSON if asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--submissions", type=int, default=1)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    found = measure(options.submissions)
    for name in ("stock", "ours"):
        row = found[name]
        each = row["wall"] / found["notebooks"]
        print(
            f"{name:6} {row['wall']:7.1f} s  {each:6.2f} s per notebook  "
            f"{row['cpu']:6.1f} CPU s  {row['peak_mib']:5.0f} MiB"
        )
    print(f"stock / ours = {found['ratio']:.2f}")
    if options.json:
        options.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
