"""Reference evidence: what a lesson's own solution does in every hidden case.

The solution notebook is executed once, in an ordinary kernel, since a lesson's author is trusted.
The evidence is kept in the course's ``.autograder`` folder under a hash of all that it depends on,
so that grading a class executes no solution twice and a changed lesson is never judged by an old
reference.
"""

from __future__ import annotations

import hashlib
import json
import platform
import shutil
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from nbgrader import utils

import autograder
from autograder.errors import CourseError
from autograder.evidence import EvidenceError
from autograder.execution.runs import CellRun, End
from autograder.execution.session import (
    MAX_MESSAGE_BYTES,
    OrdinaryKernel,
    Session,
    kernel_environment,
)
from autograder.files import write_whole
from autograder.lesson import hidden
from autograder.lesson.model import FIGURE_TAG, Notebook, grade_id_of
from autograder.verdict.outcome import Reference, read_reference

SOLUTION_TIMEOUT = 300.0
"""Seconds that one cell of a solution may take."""

CACHE = Path(".autograder") / "reference"
"""Where reference evidence is kept, below the course's root."""

References = Mapping[str, tuple[Reference, ...]]
"""The references of a notebook's probes, by the identifier of the graded cell."""


def references(notebook: Notebook, root: Path) -> References:
    """Return the references of all probes in ``notebook``, from the cache or by executing it.

    Args:
        notebook: the lesson's notebook.
        root: the course's root folder, which holds the cache.

    Raises:
        CourseError: the solution does not run, or a hidden block is not usable.
    """
    key = _key(notebook)
    if (root, key) in _memory:
        return _memory[root, key]
    file = root / CACHE / f"{notebook.name}-{key}.json"
    try:
        found = _read(notebook, json.loads(file.read_text()))
    except (OSError, ValueError, AttributeError):  # EvidenceError is a ValueError
        evidence = record(notebook)
        found = _read(notebook, evidence)
        write_whole(file, json.dumps(evidence))  # several graders may do so at a time
    _memory[root, key] = found
    return found


_memory: dict[tuple[Path, str], References] = {}


def _key(notebook: Notebook) -> str:
    engine = "".join(
        (Path(autograder.__file__).parent / name).read_text()
        for name in ("kernel/probe.py", "evidence.py")
    )
    parts = (notebook.fingerprint, engine, np.__version__, sys.version, platform.platform())
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:32]


def _read(notebook: Notebook, evidence: Mapping[str, Any]) -> References:
    found = {}
    for question in notebook.questions:
        if question.by_hand:
            continue
        where = f"{question.grade_id} in {notebook.name}"
        probes = hidden.load_probes(hidden.split(notebook.cell(question.grade_id).source)[0], where)
        recorded = evidence.get(question.grade_id)
        if not isinstance(recorded, list) or len(recorded) != len(probes):
            raise EvidenceError(f"no reference evidence for {where}")
        found[question.grade_id] = tuple(
            read_reference(probe, one) for probe, one in zip(probes, recorded, strict=True)
        )
    return found


def record(notebook: Notebook) -> dict[str, Any]:
    """Execute a notebook's solutions and return the evidence of its graded cells.

    Raises:
        CourseError: a cell fails, or a probe does not record.
    """
    found: dict[str, Any] = {}
    with tempfile.TemporaryDirectory(prefix="ag-") as name:
        home = Path(name)
        work = copy_of(notebook.path.parent, home)
        env = kernel_environment(home, AUTOGRADER_MODE="reference")
        with Session(
            lambda file: OrdinaryKernel(file, env, work),
            home,
            message_bytes=MAX_MESSAGE_BYTES,
        ) as session:
            for number, cell in enumerate(notebook.node.cells, 1):
                if cell.cell_type != "code" or FIGURE_TAG in cell.metadata.get("tags", []):
                    continue
                run = session.run(cell.source, SOLUTION_TIMEOUT)
                require_success(notebook.name, number, run)
                grade_id = grade_id_of(cell)
                if grade_id and utils.is_grade(cell) and not utils.is_solution(cell):
                    found[grade_id] = run.evidence
    return found


def copy_of(folder: Path, home: Path) -> Path:
    """Return a copy of a lesson's folder in ``home``, for its solution to run in.

    What it writes must not become a part of the lesson, which would then be another one.
    """
    copy = home / "lesson"
    ignore = shutil.ignore_patterns(".ipynb_checkpoints", "__pycache__")
    shutil.copytree(folder, copy, ignore=ignore, ignore_dangling_symlinks=True)
    return copy


def require_success(notebook: str, number: int, run: CellRun) -> None:
    """Do nothing if a cell of a solution ran without an error.

    Raises:
        CourseError: it did not; the message names the notebook and the cell's number.
    """
    where = f"The solution of {notebook} fails in cell {number}"
    if run.end is not End.DONE:
        raise CourseError(f"{where}: {run.reason}.")
    for output in run.outputs:
        if output.output_type == "error":
            raise CourseError(f"{where}: {output.ename}: {output.evalue}")
