"""Run a lesson's own solution, unconfined since its author is trusted (grading process)."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Any

from nbgrader import utils

from autograder.errors import CourseError
from autograder.execution.messages import MAX_MESSAGE_BYTES
from autograder.execution.process import OrdinaryKernel, kernel_environment
from autograder.execution.runs import CellRun, End
from autograder.execution.session import Session
from autograder.lesson.model import FIGURE_TAG, Notebook, grade_id_of

SOLUTION_TIMEOUT = 300.0
"""Seconds that one cell of a solution may take."""


def run_solution(notebook: Notebook) -> dict[str, Any]:
    """Execute a notebook's solutions and return the evidence of its graded cells.

    Raises:
        CourseError: a cell fails, or a probe does not record.
    """
    found: dict[str, Any] = {}
    with tempfile.TemporaryDirectory(prefix="ag-") as name:
        home = Path(name)
        work = copy_of(notebook.path.parent, home)
        env = kernel_environment(home, AUTOGRADER_MODE="reference", AUTOGRADER_SALT=notebook.salt)
        with Session(
            lambda: OrdinaryKernel(home, env, work), message_bytes=MAX_MESSAGE_BYTES
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
